import type { CoverageRow } from '../rollout/coverage.ts';
import { coverageOf } from '../rollout/coverage.ts';
import { readCarried } from '../statements/carried.ts';
import { readReadings } from '../statements/coverage.ts';
import { inIndexOrder } from '../statements/index-order.ts';
import { readKnownVersions } from '../statements/known-versions.ts';
import type { Store } from '../store.ts';
import { MAX_COUNTED } from './gates.ts';

/** Which running builds read which versions, and what waits for them. */
export async function coverage(store: Store): Promise<readonly CoverageRow[]> {
  return inIndexOrder(store, async (tx) =>
    coverageOf(
      await readKnownVersions(tx, store),
      await readReadings(tx, store),
      await readCarried(tx, store, {}, MAX_COUNTED),
    ),
  );
}

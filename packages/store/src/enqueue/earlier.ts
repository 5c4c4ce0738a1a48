import { ContractError, writableVersions } from '@waybill/contracts';

import type { Executor } from '../executor.ts';
import { findRepeats } from '../statements/enqueue.ts';
import type { Draft, PreparedMessage } from './prepare.ts';

/**
 * The versions in which messages are there already, by message id: enqueued before, when the builds that were there wanted another version than
 * those of today. A version that this build does not know cannot be compared, and is not among them.
 */
export async function findEarlier(
  executor: Executor,
  schema: string,
  drafts: readonly Draft[],
): Promise<ReadonlyMap<string, number>> {
  const candidates = drafts.flatMap(inEachVersion);
  const places = candidates.length === 0 ? [] : await findRepeats(executor, schema, candidates);
  const found = candidates.filter((_, index) => places.includes(index));
  return new Map(found.map(({ id, version }) => [id, version]));
}

function inEachVersion(draft: Draft): readonly PreparedMessage[] {
  return writableVersions(draft.message).flatMap((version) => {
    try {
      return [draft.write(version)];
    } catch (error) {
      // What cannot be brought down to a version was not written in it.
      if (error instanceof ContractError) return [];
      throw error;
    }
  });
}

import type { GateBlocker } from '../rollout/gate-report.ts';
import { judgeRetirement } from '../rollout/gates.ts';
import type { VersionName } from '../rollout/standing.ts';
import { markRetired, readRevision, shutVersion } from '../statements/contract-retire.ts';
import type { Store } from '../store.ts';
import { type OperatorOptions, operate } from './audit.ts';
import { readTraces } from './gates.ts';
import type { Operator } from './operator.ts';

export type RetireResult =
  | { readonly status: 'retired'; readonly revision: number }
  | { readonly status: 'not-found' }
  | { readonly status: 'already-retired' }
  /** Somebody has decided about the type since the revision was read. */
  | { readonly status: 'revision-moved'; readonly revision: number }
  | { readonly status: 'blocked'; readonly blockers: readonly GateBlocker[] };

/**
 * Retires a version: it is not written any more, and its reader may go. What the gate said is checked once more in the transaction that retires,
 * after every transaction that might have written the version has ended. Throws a lock timeout (class `transient`) when one stays open.
 */
export async function retireVersion<Native>(
  store: Store<Native>,
  { type, version, expectedRevision }: VersionName & { readonly expectedRevision: number },
  by: Operator,
  options: OperatorOptions<Native> = {},
): Promise<RetireResult> {
  return operate(store, by, options, async ({ tx, record }): Promise<RetireResult> => {
    const name = { type, version };
    await shutVersion(tx, store, name);
    const found = await readRevision(tx, store, name);
    if (found === null) return { status: 'not-found' };
    if (found.retired) return { status: 'already-retired' };
    if (found.revision !== expectedRevision) return { status: 'revision-moved', revision: found.revision };
    const blockers = judgeRetirement(name, await readTraces(tx, store, name));
    if (blockers.length > 0) return { status: 'blocked', blockers };
    await markRetired(tx, store, name);
    const revision = expectedRevision + 1;
    await record({
      action: 'retire-version',
      what: { messages: [], selection: name },
      before: { revision: expectedRevision },
      after: { revision },
    });
    return { status: 'retired', revision };
  });
}

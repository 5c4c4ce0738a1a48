import { discardDeadLetter } from '../statements/discard.ts';
import type { Store } from '../store.ts';
import { type OperatorOptions, operate } from './audit.ts';
import { failureOf, findClosed, findOpen, type NotOpen } from './dead-subject.ts';
import type { Operator } from './operator.ts';

export type DiscardResult = { readonly status: 'done'; readonly id: string; readonly deadLetter: string } | NotOpen;

/**
 * Gives a dead message up for good: it stays dead, cannot be replayed, and the key that it held goes on with the next sweep. Audited in the
 * same transaction. Throws `STO_INVALID_OPTION` without an actor or a reason.
 */
export async function discard<Native>(
  store: Store<Native>,
  id: string,
  by: Operator,
  options: OperatorOptions<Native> = {},
): Promise<DiscardResult> {
  return operate(store, by, options, async ({ tx, record }) => {
    const found = await findOpen(tx, store, id);
    if (found.status !== 'open') return found;
    const { deadLetter } = found.subject.state;
    const done = await discardDeadLetter(tx, store, { deadLetter, ...by });
    if (!done) return findClosed(tx, store, id);
    await record({
      action: 'discard',
      what: { messages: [found.subject.id] },
      before: [failureOf(found.subject)],
      after: { state: 'dead-letter' },
    });
    return { status: 'done', id, deadLetter };
  });
}

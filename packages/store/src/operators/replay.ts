import { type ReplayPlace, replayDeadLetters } from '../statements/replay.ts';
import type { Store } from '../store.ts';
import { type OperatorOptions, operate } from './audit.ts';
import { failureOf, findClosed, findOpen, type NotOpen } from './dead-subject.ts';
import type { Operator } from './operator.ts';

export type ReplayResult =
  | { readonly status: 'replayed'; readonly id: string; readonly deadLetter: string; readonly place: ReplayPlace }
  | NotOpen;

/**
 * Gives a dead message a new delivery: the same id, payload, key, version and headers, attempts counted from zero, its history kept. Who, why,
 * when and the failure it answers are written in the same transaction. Of two operators who replay one message at once, one does.
 * Throws `STO_INVALID_OPTION` without an actor or a reason, and a lock timeout (class `transient`) when a long transaction holds the key.
 */
export async function replay<Native>(
  store: Store<Native>,
  id: string,
  by: Operator,
  options: OperatorOptions<Native> = {},
): Promise<ReplayResult> {
  return operate(store, by, options, async ({ tx, record }) => {
    const found = await findOpen(tx, store, id);
    if (found.status !== 'open') return found;
    const { deadLetter } = found.subject.state;
    const places = await replayDeadLetters(tx, store, { deadLetters: [deadLetter], patient: true });
    const place = places.get(deadLetter);
    if (place === undefined) return findClosed(tx, store, id);
    await record({
      action: 'replay',
      what: { messages: [found.subject.id] },
      before: [failureOf(found.subject)],
      after: { place },
    });
    return { status: 'replayed', id, deadLetter, place };
  });
}

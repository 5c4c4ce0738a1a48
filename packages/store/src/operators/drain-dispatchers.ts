import { StoreError } from '../errors.ts';
import {
  type DispatcherSubject,
  lockDispatchers,
  type NamedDispatcher,
  requestDrain,
} from '../statements/drain-request.ts';
import type { Store } from '../store.ts';
import { type OperatorOptions, operate } from './audit.ts';
import type { Operator } from './operator.ts';

export type DrainRequest =
  | { readonly status: 'asked'; readonly dispatchers: readonly NamedDispatcher[] }
  /** There are not as many as the operator has seen; nothing was asked. */
  | { readonly status: 'count-moved'; readonly dispatchers: readonly NamedDispatcher[] }
  /** None that claims has this id or build. */
  | { readonly status: 'not-found' };

/**
 * Asks one dispatcher, or all of a build, to drain: at its next heartbeat it claims nothing more, finishes what it has in hand, settles, gives the
 * rest back, signs off and ends. `expectedCount`: how many the operator means. Audited in the same transaction.
 * Throws `STO_INVALID_OPTION` without an actor, a reason or a name.
 */
export async function drainDispatchers<Native>(
  store: Store<Native>,
  { expectedCount, ...subject }: DispatcherSubject & { readonly expectedCount: number },
  by: Operator,
  options: OperatorOptions<Native> = {},
): Promise<DrainRequest> {
  if ((subject.id ?? subject.build).trim() === '')
    throw new StoreError(
      'STO_INVALID_OPTION',
      'expected the id of a dispatcher or the name of a build, got an empty text',
    );
  return operate(store, by, options, async ({ tx, record }) => {
    const dispatchers = await lockDispatchers(tx, store, subject);
    if (dispatchers.length === 0) return { status: 'not-found' };
    if (dispatchers.length !== expectedCount) return { status: 'count-moved', dispatchers };
    const ids = dispatchers.map(({ id }) => id);
    await requestDrain(tx, store, ids);
    await record({
      action: 'drain-dispatchers',
      what: { messages: [], selection: { ...subject } },
      before: null,
      after: { asked: ids },
    });
    return { status: 'asked', dispatchers };
  });
}

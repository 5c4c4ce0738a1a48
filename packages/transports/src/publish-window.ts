import { setMaxListeners } from 'node:events';
import type { PublishContext } from './transport.ts';

/** Milliseconds on a clock that never goes back, such as `performance.now`. */
export type MonotonicClock = () => number;

/** Why sending is over. */
export type WindowEnd = 'deadline' | 'aborted';

/** The stretch of time in which one publish may send. */
export interface PublishWindow {
  /** Null while sending is allowed. Looks at the clock, since a timer fires late when the event loop is busy. */
  ended(): WindowEnd | null;
  /** Fires once, when the window ends. */
  readonly signal: AbortSignal;
  /** Gives the timer and the listener back; call it when the publish is over. */
  dispose(): void;
}

/** Node fires a timer with a larger delay at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** Opens the window of one publish. */
export function openWindow(context: PublishContext, now: MonotonicClock): PublishWindow {
  const closing = new AbortController();
  // Every message of a batch that is on its way listens, so the usual limit of ten says nothing here.
  setMaxListeners(0, closing.signal);
  const close = (): void => closing.abort();

  const remainingMs = Math.max(0, context.deadline - now());
  // A deadline farther off than the longest timer is left to `ended`.
  const timer = remainingMs <= LONGEST_TIMER_MS ? setTimeout(close, remainingMs) : undefined;
  context.signal.addEventListener('abort', close, { once: true });
  if (context.signal.aborted) close();

  return {
    signal: closing.signal,
    ended() {
      if (context.signal.aborted) return 'aborted';
      // A deadline that is not a number allows nothing.
      return now() < context.deadline ? null : 'deadline';
    },
    dispose() {
      clearTimeout(timer);
      context.signal.removeEventListener('abort', close);
    },
  };
}

/** What came first: the result of some work, or the end of the window. */
export type WithinWindow<T> = { readonly ended: false; readonly value: T } | { readonly ended: true };

/** Waits for `work`, but not beyond the window. The work itself goes on; a rejection that nobody waits for any more is dropped. */
export async function withinWindow<T>(work: Promise<T>, window: PublishWindow): Promise<WithinWindow<T>> {
  let stop = (): void => undefined;
  const end = new Promise<WithinWindow<T>>((resolve) => {
    stop = () => resolve({ ended: true });
    if (window.signal.aborted) stop();
    else window.signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work.then((value) => ({ ended: false, value }) as const), end]);
  } finally {
    window.signal.removeEventListener('abort', stop);
  }
}

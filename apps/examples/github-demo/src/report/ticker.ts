import { setTimeout as delay } from 'node:timers/promises';
import type { Figures } from './figures.ts';
import type { Progress } from './progress.ts';

/** Fast enough to look alive; each look is a query on the database that the story needs for itself. */
const TICK_MS = 400;

/** Shows new figures again and again while `work` is under way. */
export async function showWhile<T>(progress: Progress, read: () => Promise<Figures>, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const showing = (async () => {
    while (!done.signal.aborted) {
      progress.figures(await read());
      await delay(TICK_MS, undefined, { signal: done.signal }).catch(() => undefined);
    }
  })();
  // Both are awaited from the start: what fails while nobody waits for it would end the process before anything is cleaned up.
  const [worked, shown] = await Promise.allSettled([work.finally(() => done.abort()), showing]);
  if (worked.status === 'rejected') throw worked.reason;
  if (shown.status === 'rejected') throw shown.reason;
  return worked.value;
}

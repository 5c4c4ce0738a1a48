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
  try {
    return await work;
  } finally {
    done.abort();
    await showing;
  }
}

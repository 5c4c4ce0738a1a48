import { setTimeout as delay } from 'node:timers/promises';
import { StoryError } from './story-error.ts';

/** Often enough to catch a short moment, seldom enough to leave the two cores to the story. */
const POLL_MS = 25;

/** Far beyond what any step of the story takes, also on a busy machine. */
const PATIENCE_MS = 180_000;

/**
 * Asks again and again until the answer is yes.
 *
 * @throws StoryError `DEMO_WAITED_IN_VAIN` when the answer stays no for three minutes; the signal's reason when it is aborted.
 */
export async function until(what: string, isSo: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  while (!(await isSo())) {
    signal.throwIfAborted();
    if (patience.aborted)
      throw new StoryError('DEMO_WAITED_IN_VAIN', `waited ${PATIENCE_MS / 1000} s in vain: ${what}`);
    await delay(POLL_MS, undefined, { signal });
  }
}

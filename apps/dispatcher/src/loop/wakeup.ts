import type { Clock } from './clock.ts';

/** Lets one waiter rest until somebody has news. News that come while nobody waits are kept, so none is lost between two waits. */
export class Wakeup {
  #news = false;
  #rest: AbortController | null = null;

  notify(): void {
    this.#news = true;
    // With a reason of our own: the default one is an error, and costs its stack.
    this.#rest?.abort('news');
  }

  /** Ends after `ms`, or at once when there are news. Gives whether there were. */
  async wait(clock: Clock, ms: number): Promise<boolean> {
    if (!this.#news) {
      this.#rest = new AbortController();
      await clock.sleep(ms, this.#rest.signal);
      this.#rest = null;
    }
    const news = this.#news;
    this.#news = false;
    return news;
  }
}

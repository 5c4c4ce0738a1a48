import type { Clock } from './clock.ts';

/** Lets one waiter rest until somebody has news. News that come while nobody waits are kept, so none is lost between two waits. */
export class Wakeup {
  #news = false;
  #rest: AbortController | null = null;

  notify(): void {
    this.#news = true;
    this.#rest?.abort();
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

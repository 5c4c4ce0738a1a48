/** Records a second up to which hints are worth their price, and the rate at which they cease to be. In between it stays as it was. */
const FEW_PER_SECOND = 25;
const MANY_PER_SECOND = 50;
/** How long a burst counts: short enough that hints are back soon after it, long enough that one message is no burst. */
const MEMORY_MS = 2_000;

/**
 * Whether a dispatcher wants a hint for each message. Each takes a lock that all hints of the server share, from before the producer's commit to after
 * it, so none is wanted where there is so much to do that the next claim comes soon anyway.
 */
export class HintWish {
  #perSecond = 0;
  #at = Number.NEGATIVE_INFINITY;
  #hears = false;
  #slack = true;

  /** Whether hints would arrive. */
  hears(yes: boolean): void {
    this.#hears = yes;
  }

  /** A claim was answered at `now`, by a clock that never goes back. */
  claimed(records: number, now: number): void {
    const faded = this.#perSecond * Math.exp(-(now - this.#at) / MEMORY_MS);
    this.#perSecond = (Number.isFinite(this.#at) ? faded : 0) + records / (MEMORY_MS / 1_000);
    this.#at = now;
    if (this.#perSecond < FEW_PER_SECOND) this.#slack = true;
    if (this.#perSecond > MANY_PER_SECOND) this.#slack = false;
  }

  get wanted(): boolean {
    return this.#hears && this.#slack;
  }
}

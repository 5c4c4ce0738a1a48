/** The share of the lease that one publish should take at most: its deadline is the lease as it was at the start, however often that is renewed. */
const LEASE_SHARE = 0.1;
/** Weight of the newest measurement: a target that becomes slow is noticed within a few records, one odd record is not. */
const NEWEST_WEIGHT = 0.1;

/** How many records of a key are handed to a target in one publish: as many as it takes, and no more than it is through with soon. */
export class BatchSize {
  readonly #maxBatch: number;
  readonly #horizonMs: number;
  #recordMs: number;

  /** `maxBatch`: what the target takes at once. The first publishes are short, until it is known how long a record takes. */
  constructor(maxBatch: number, leaseMs: number) {
    this.#maxBatch = maxBatch;
    this.#horizonMs = leaseMs * LEASE_SHARE;
    this.#recordMs = this.#horizonMs;
  }

  /** The most that the target takes at once, slow as it may be. */
  get maxBatch(): number {
    return this.#maxBatch;
  }

  get records(): number {
    return Math.max(1, Math.min(this.#maxBatch, Math.floor(this.#horizonMs / Math.max(this.#recordMs, 0.001))));
  }

  /** A record took its target `ms`, or its publish that long for each of its records. */
  record(ms: number): void {
    this.#recordMs += (ms - this.#recordMs) * NEWEST_WEIGHT;
  }
}

/** The share of the lease that buffered work may take: little enough that a dying process delays others for a moment only. */
const LEASE_SHARE = 0.1;
/** Bounds one claim statement, and with it how long the rows of a claim are locked. */
export const MAX_CLAIM_RECORDS = 500;
/** Bounds the memory that buffered payloads take. */
const MAX_BUFFERED_RECORDS = 1_000;
/** Weight of the newest measurement: a change of pace is noticed within a few records, one odd record is not. */
const NEWEST_WEIGHT = 0.1;

/** Knows how long a record takes, and from that how many are worth claiming ahead. */
export class Pace {
  readonly #concurrency: number;
  readonly #horizonMs: number;
  #recordMs: number;

  constructor(concurrency: number, leaseMs: number) {
    this.#concurrency = concurrency;
    this.#horizonMs = leaseMs * LEASE_SHARE;
    // Nothing is known yet: claim no more than can be begun at once.
    this.#recordMs = this.#horizonMs;
  }

  record(ms: number): void {
    this.#recordMs += (ms - this.#recordMs) * NEWEST_WEIGHT;
  }

  /** How many records the next claim may take, given how many are buffered; 0: the buffer is full enough. */
  claimLimit(buffered: number): number {
    const target = this.#target();
    // Half full is early enough to ask for more, and late enough not to ask for each record.
    return buffered > target / 2 ? 0 : Math.min(target - buffered, MAX_CLAIM_RECORDS);
  }

  #target(): number {
    const ahead = (this.#concurrency * this.#horizonMs) / Math.max(this.#recordMs, 0.001);
    return Math.max(this.#concurrency, Math.min(Math.floor(ahead), MAX_BUFFERED_RECORDS));
  }
}

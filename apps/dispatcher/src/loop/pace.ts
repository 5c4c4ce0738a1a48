/** The share of the lease that buffered work may take: little enough that a dying process delays others for a moment only. */
const LEASE_SHARE = 0.1;
/** Bounds one claim statement, and with it how long the rows of a claim are locked. */
export const MAX_CLAIM_RECORDS = 500;
/** Bounds the memory that buffered payloads take. */
const MAX_BUFFERED_RECORDS = 1_000;
/** Weight of the newest measurement: a change of pace is noticed within a few records, one odd record is not. */
const NEWEST_WEIGHT = 0.1;

/** Knows how long a record takes and whether any are being finished, and from that how many are worth claiming ahead. */
export class Pace {
  readonly #concurrency: number;
  readonly #horizonMs: number;
  #recordMs: number;
  #finishedAt = Number.NEGATIVE_INFINITY;

  constructor(concurrency: number, leaseMs: number) {
    this.#concurrency = concurrency;
    this.#horizonMs = leaseMs * LEASE_SHARE;
    this.#recordMs = this.#horizonMs;
  }

  /** A record was finished at `now`, after `ms`. */
  record(ms: number, now: number): void {
    this.#recordMs += (ms - this.#recordMs) * NEWEST_WEIGHT;
    this.#finishedAt = now;
  }

  /** Whether something was finished lately. If not, all workers are idle or stuck, and nothing should wait for them. */
  isMoving(now: number): boolean {
    return now - this.#finishedAt < this.#horizonMs;
  }

  /** How many records the next claim may take, given how many are buffered and how many workers have none; 0: claim nothing now. */
  claimLimit({
    buffered,
    idle,
    now,
  }: {
    readonly buffered: number;
    readonly idle: number;
    readonly now: number;
  }): number {
    const target = Math.max(idle, this.isMoving(now) ? this.#ahead() : 0);
    // Half full is early enough to ask for more, and late enough not to ask for each record.
    return buffered > target / 2 ? 0 : Math.min(target - buffered, MAX_CLAIM_RECORDS);
  }

  #ahead(): number {
    const records = (this.#concurrency * this.#horizonMs) / Math.max(this.#recordMs, 0.001);
    return Math.min(Math.floor(records), MAX_BUFFERED_RECORDS);
  }
}

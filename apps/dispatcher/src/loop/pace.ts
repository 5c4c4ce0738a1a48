import { RecordTime } from './record-time.ts';

/** Bounds one claim statement, and with it how long the rows of a claim are locked. */
export const MAX_CLAIM_RECORDS = 500;
/** Bounds the memory that buffered payloads take. */
const MAX_BUFFERED_RECORDS = 1_000;

/** Knows how long a record takes and whether any are being finished, and from that how many are worth claiming ahead. */
export class Pace {
  readonly #concurrency: number;
  readonly #recordTime: RecordTime;
  #finishedAt = Number.NEGATIVE_INFINITY;

  constructor(concurrency: number, leaseMs: number) {
    this.#concurrency = concurrency;
    this.#recordTime = new RecordTime(leaseMs);
  }

  /** A record was finished at `now`, after `ms`. */
  record(ms: number, now: number): void {
    this.#recordTime.record(ms);
    this.#finishedAt = now;
  }

  /** Whether something was finished lately. If not, all workers are idle or stuck, and nothing should wait for them. */
  isMoving(now: number): boolean {
    return now - this.#finishedAt < this.#recordTime.horizonMs;
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
    return Math.min(Math.floor(this.#concurrency * this.#recordTime.withinHorizon), MAX_BUFFERED_RECORDS);
  }
}

import { RecordTime } from '../loop/record-time.ts';

/**
 * How many records of a key are handed to a target in one publish: as many as it takes, and no more than it is through with in a tenth of a lease.
 * The deadline of a publish is the lease as it was at the start, however often that is renewed.
 */
export class BatchSize {
  /** What the target takes at once, slow as it may be. */
  readonly maxBatch: number;
  readonly #recordTime: RecordTime;

  /** The first publishes are short, until it is known how long a record takes. */
  constructor(maxBatch: number, leaseMs: number) {
    this.maxBatch = maxBatch;
    this.#recordTime = new RecordTime(leaseMs);
  }

  get records(): number {
    return Math.max(1, Math.min(this.maxBatch, Math.floor(this.#recordTime.withinHorizon)));
  }

  /** A record took its target `ms`, or its publish that long for each of its records. */
  record(ms: number): void {
    this.#recordTime.record(ms);
  }
}

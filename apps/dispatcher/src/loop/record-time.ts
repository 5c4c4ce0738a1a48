/** The share of the lease that work which is begun, or waits to be, may take: little enough that a dying process delays others for a moment only. */
const LEASE_SHARE = 0.1;
/** Weight of the newest measurement: a change of pace is noticed within a few records, one odd record is not. */
const NEWEST_WEIGHT = 0.1;

/** Knows how long a record takes, and from that how many of them fit into a tenth of a lease. Until it knows better, that is one. */
export class RecordTime {
  readonly horizonMs: number;
  #recordMs: number;

  constructor(leaseMs: number) {
    this.horizonMs = leaseMs * LEASE_SHARE;
    this.#recordMs = this.horizonMs;
  }

  /** A record took `ms`, or its share of what was done for several. */
  record(ms: number): void {
    this.#recordMs += (ms - this.#recordMs) * NEWEST_WEIGHT;
  }

  /** How many records one worker gets through within the horizon; less than one where a record takes longer. */
  get withinHorizon(): number {
    return this.horizonMs / Math.max(this.#recordMs, 0.001);
  }
}

/** What the live display shows; everything is counted from the beginning. */
export interface Figures {
  /** Messages that services have committed. */
  readonly committed: number;
  /** Distinct messages that a target has accepted. */
  readonly delivered: number;
  /** Distinct records that were seen waiting for a reader, and still are. */
  readonly waitingForReader: number;
  /** The dispatchers that run, with their state. */
  readonly dispatchers: readonly string[];
}

/** Figures at a point of time; `atMs` is on any clock that only goes forward. */
export interface Reading extends Figures {
  readonly atMs: number;
}

/** Deliveries per second between two readings. */
export function ratePerSecond(earlier: Reading, later: Reading): number {
  const elapsedMs = later.atMs - earlier.atMs;
  return elapsedMs <= 0 ? 0 : Math.round(((later.delivered - earlier.delivered) * 1000) / elapsedMs);
}

/** The figures in one line. */
export function figuresLine(figures: Figures, rate: number): string {
  const waiting = figures.waitingForReader === 0 ? '' : `, ${count(figures.waitingForReader)} waiting for a reader`;
  return `${count(figures.committed)} committed, ${count(figures.delivered)} delivered${waiting}, ${count(rate)}/s`;
}

/** A count with separators. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

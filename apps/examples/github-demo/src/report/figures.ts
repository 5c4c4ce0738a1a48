/** What the live display shows; everything is counted from the beginning. */
export interface Figures {
  /** Messages that services have committed. */
  readonly committed: number;
  /** Distinct messages that a target has accepted. */
  readonly delivered: number;
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
  const { committed, delivered } = figures;
  // The two are counted one after the other, so the second may be ahead for a moment.
  const waiting = Math.max(0, committed - delivered);
  return `${count(committed)} committed, ${count(delivered)} delivered, ${count(waiting)} waiting, ${count(rate)}/s`;
}

/** A count with separators. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

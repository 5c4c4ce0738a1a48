/** The database's clock as this process can know it: read now and then, carried on by the process's own monotonic clock. */
export class DatabaseClock {
  readonly #now: () => number;
  /** Milliseconds since 1970 at the zero of the process's clock; null before the first reading. */
  #offsetMs: number | null = null;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes a reading that was asked for at `sentAt` and has just arrived: the answer was made about halfway between. */
  set(databaseMs: number, sentAt: number): void {
    this.#offsetMs = databaseMs - (sentAt + this.#now()) / 2;
  }

  /** Seconds since a time of the database; null while its clock is unknown. */
  secondsSince(time: Date): number | null {
    if (this.#offsetMs === null) return null;
    return Math.max(0, this.#now() + this.#offsetMs - time.getTime()) / 1_000;
  }
}

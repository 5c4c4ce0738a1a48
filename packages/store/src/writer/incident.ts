import type { WriterReport } from './writer.ts';

/** Often enough that somebody who looks at a log finds one, rare enough that a night's outage fits on a screen. */
const REMIND_EVERY_MS = 60_000;

/** Reports a failure that goes on and on as one: when it begins, now and then, and when it is over. */
export class WriterIncident {
  readonly #report: (report: WriterReport) => void;
  #failures = 0;
  #quietMs = 0;
  #reportedId: number | null = null;

  constructor(report: (report: WriterReport) => void = () => undefined) {
    this.#report = report;
  }

  /** How often in a row it has failed. */
  get failures(): number {
    return this.#failures;
  }

  /** One more failure; the next try comes after `restMs`. */
  failed(cause: unknown, restMs: number): void {
    this.#failures += 1;
    if (this.#failures === 1 || this.#quietMs >= REMIND_EVERY_MS) {
      this.#quietMs = 0;
      this.#tell({ status: 'failing', cause, failures: this.#failures });
    }
    this.#quietMs += restMs;
  }

  works(id: number): void {
    const news = this.#failures > 0 || id !== this.#reportedId;
    this.#failures = 0;
    this.#reportedId = id;
    if (news) this.#tell({ status: 'registered', id });
  }

  #tell(report: WriterReport): void {
    try {
      this.#report(report);
    } catch {
      // A reporter that throws has nobody to report it to, and must not end the heartbeat.
    }
  }
}

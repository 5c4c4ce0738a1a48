import { errorText } from '../retry/error-text.ts';
import type { Clock } from './clock.ts';
import type { LoopLogger } from './loop-logger.ts';

/** Often enough that a person who looks at a log finds one, rare enough that a night's outage fits on a screen. */
const REMIND_EVERY_MS = 60_000;

/** Logs something that goes wrong over and over as one incident: when it begins, a reminder now and then, and when it is over. */
export class IncidentLog {
  readonly #logger: LoopLogger;
  readonly #clock: Clock;
  readonly #subject: string;
  #incident: { readonly since: number; remindAt: number; failures: number } | null = null;

  constructor(subject: string, logger: LoopLogger, clock: Clock) {
    this.#subject = subject;
    this.#logger = logger;
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return this.#incident !== null;
  }

  /** One more failure. `operation` is what was tried. */
  failed(operation: string, cause: unknown): void {
    const now = this.#clock.now();
    if (this.#incident === null) {
      this.#incident = { since: now, remindAt: now + REMIND_EVERY_MS, failures: 1 };
      this.#logger.warn({ operation, error: errorText(cause) }, this.#subject);
      return;
    }
    this.#incident.failures += 1;
    if (now < this.#incident.remindAt) return;
    this.#incident.remindAt = now + REMIND_EVERY_MS;
    this.#logger.warn({ operation, error: errorText(cause), ...this.#summary(now) }, `${this.#subject}, still`);
  }

  /** It works again. Does nothing while all is well. */
  recovered(): void {
    if (this.#incident === null) return;
    this.#logger.info(this.#summary(this.#clock.now()), `${this.#subject}: over`);
    this.#incident = null;
  }

  #summary(now: number): { readonly failures: number; readonly sinceMs: number } {
    return { failures: this.#incident?.failures ?? 0, sinceMs: Math.round(now - (this.#incident?.since ?? now)) };
  }
}

import type { Logger } from 'pino';
import type { Clock } from '../loop/clock.ts';
import { type BackoffShape, backoffBoundMs } from '../retry/backoff.ts';

/** A process that handles suspects, as far as its parent needs to know it. */
export interface QuarantineProcess {
  /** Asks it to end in good order. */
  readonly stop: () => void;
  /** Resolves with how it ended: its exit code, or the signal that killed it. */
  readonly ended: Promise<number | string>;
}

export type StartQuarantine = () => QuarantineProcess;

/**
 * A process that dies at once, for a reason of its own, is not started in a tight loop. The rest goes by the lease, since a suspect that killed its
 * process comes back no sooner: a second at first and a minute at most where a lease lasts half a minute.
 */
const restartBackoff = (leaseMs: number): BackoffShape => ({ baseMs: leaseMs / 30, factor: 2, capMs: 2 * leaseMs });

/**
 * Keeps suspects away from everything else: while there are any, one process beside this one handles them alone. A suspect that kills it is
 * found by its lease, as any other, and costs nobody but itself.
 */
export class Quarantine {
  readonly #start: StartQuarantine;
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  readonly #clock: Clock;
  readonly #restarts: BackoffShape;
  #process: QuarantineProcess | null = null;
  #deaths = 0;
  #notBefore = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(parts: {
    readonly start: StartQuarantine;
    readonly log: Pick<Logger, 'info' | 'warn'>;
    readonly clock: Clock;
    readonly leaseMs: number;
  }) {
    this.#start = parts.start;
    this.#log = parts.log;
    this.#clock = parts.clock;
    this.#restarts = restartBackoff(parts.leaseMs);
  }

  /** There are suspects. Starts the process unless it runs, or has just died. */
  ensure(): void {
    if (this.#stopped || this.#process !== null || this.#clock.now() < this.#notBefore) return;
    this.#log.info('records that were in hand when their process died are handled alone, in a process beside this one');
    this.#process = this.#start();
    void this.#process.ended.then((ending) => this.#ended(ending));
  }

  /** The process goes with this one. Ends when it has. It can be asked for more than once. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#process?.stop();
    await this.#process?.ended;
  }

  #ended(ending: number | string): void {
    this.#process = null;
    this.#deaths = ending === 0 ? 0 : this.#deaths + 1;
    if (this.#deaths === 0 || this.#stopped) return;
    const restMs = backoffBoundMs(this.#deaths, this.#restarts);
    this.#notBefore = this.#clock.now() + restMs;
    this.#log.warn({ ending, restMs }, 'the process that handles suspects has died');
  }
}

import type { SchemaStatus } from '@waybill/store';
import { type BackoffShape, backoffMs } from '../retry/backoff.ts';
import type { Clock } from './clock.ts';
import { IncidentLog } from './incident-log.ts';
import type { LoopLogger } from './loop-logger.ts';
import type { LoopObserver, StoreOperation } from './observer.ts';

/** Quick after a blip, and never slower than five seconds after an outage of any length; full jitter keeps a fleet from coming back in step. */
const STORE_BACKOFF: BackoffShape = { baseMs: 250, factor: 2, capMs: 5_000 };

/** What is known of the store: whether it works, since when not, and how long to rest before the next try. */
export class StoreHealth {
  readonly #incident: IncidentLog;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #observer: LoopObserver;
  #failures = 0;
  #answeredAt: number | null = null;
  #schema: SchemaStatus['status'] | 'unknown' = 'unknown';

  constructor(
    logger: LoopLogger,
    {
      clock,
      random,
      observer,
    }: {
      readonly clock: Clock;
      readonly random: () => number;
      /** Told of every failure, where the log tells of a few. */
      readonly observer: LoopObserver;
    },
  ) {
    this.#incident = new IncidentLog('the store is not usable; nothing is claimed until it is', logger, clock);
    this.#clock = clock;
    this.#random = random;
    this.#observer = observer;
  }

  get isUp(): boolean {
    return this.#answeredAt !== null && !this.#incident.isOpen;
  }

  /** By the clock; null before the first answer. */
  get answeredAt(): number | null {
    return this.#answeredAt;
  }

  get schema(): SchemaStatus['status'] | 'unknown' {
    return this.#schema;
  }

  /** Something could not be done. Counts towards the rest only when the main loop says so, else each part of an outage would lengthen it. */
  failed(operation: string, cause: unknown): void {
    this.#incident.failed(operation, cause);
    this.#observer.storeFailed(operation, cause);
  }

  /** Asks the store and tells how long its answer took. That there was none is for the caller to tell. */
  async measure<T>(operation: StoreOperation, ask: () => Promise<T>): Promise<T> {
    const askedAt = this.#clock.now();
    const answer = await ask();
    this.#observer.storeAnswered(operation, this.#clock.now() - askedAt);
    return answer;
  }

  /** The store answered. */
  answered(): void {
    this.#answeredAt = this.#clock.now();
  }

  /** The store answered what the main loop asked, so an outage is over. */
  works(): void {
    this.answered();
    this.#failures = 0;
    this.#incident.recovered();
  }

  sawSchema(status: SchemaStatus['status']): void {
    this.answered();
    this.#schema = status;
  }

  /** How long the main loop rests before it tries again, in milliseconds. */
  restMs(): number {
    this.#failures += 1;
    return backoffMs(this.#failures, STORE_BACKOFF, this.#random);
  }
}

import type { Sample } from '../load/sample.ts';

/** What one process has seen of a load. */
export interface Tally {
  /** How often each message was handled, by its n. */
  readonly times: Uint8Array;
  /** Messages that came before an earlier one of their key had been handled. */
  readonly outOfOrder: number;
  /** Milliseconds since the epoch; null where nothing was handled. */
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  /** When each fiftieth of the load had been handled by this process. */
  readonly marks: readonly number[];
  /** When each message came to a handler first, by its n, in milliseconds since the epoch; 0 where it never did. */
  readonly begunAt: Float64Array;
  /** CPU of the whole process, from the first message to the last. */
  readonly cpuMs: number;
}

export interface Meter {
  readonly now: () => number;
  /** CPU that the process has used so far. */
  readonly cpuMs: () => number;
}

/** Ten thousand messages of half a million. */
const MARKS = 50;

/** Counts what passes through the handlers of one process. */
export class Counter {
  readonly #times: Uint8Array;
  readonly #nextStep = new Map<string, number>();
  readonly #begunAt: Float64Array;
  readonly #marks: number[] = [];
  readonly #meter: Meter;
  #handled = 0;
  #outOfOrder = 0;
  #firstAt: number | null = null;
  #lastAt: number | null = null;
  #cpuAtFirst = 0;
  #cpuAtLast = 0;

  constructor(expected: number, meter: Meter) {
    this.#times = new Uint8Array(expected);
    this.#begunAt = new Float64Array(expected);
    this.#meter = meter;
  }

  get handled(): number {
    return this.#handled;
  }

  begin({ n }: Sample): void {
    const now = this.#meter.now();
    if (this.#firstAt === null) {
      this.#firstAt = now;
      this.#cpuAtFirst = this.#meter.cpuMs();
    }
    if (this.#begunAt[n] === 0) this.#begunAt[n] = now;
  }

  end({ n, key, step }: Sample): void {
    this.#times[n] = (this.#times[n] ?? 0) + 1;
    this.#handled += 1;
    if (key !== '') this.#keepOrder(key, step);
    this.#lastAt = this.#meter.now();
    if (this.#handled * MARKS >= this.#times.length * (this.#marks.length + 1)) this.#mark(this.#lastAt);
  }

  tally(): Tally {
    return {
      times: this.#times,
      outOfOrder: this.#outOfOrder,
      firstAt: this.#firstAt,
      lastAt: this.#lastAt,
      marks: this.#marks,
      begunAt: this.#begunAt,
      cpuMs: this.#cpuAtLast - this.#cpuAtFirst,
    };
  }

  /** A repetition of what was handled already is no disorder. Another process may have handled what lies between. */
  #keepOrder(key: string, step: number): void {
    const next = this.#nextStep.get(key) ?? 0;
    if (step > next) this.#outOfOrder += 1;
    this.#nextStep.set(key, Math.max(next, step + 1));
  }

  #mark(now: number): void {
    this.#marks.push(now);
    this.#cpuAtLast = this.#meter.cpuMs();
  }
}

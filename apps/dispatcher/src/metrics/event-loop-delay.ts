import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

export interface DelaySeconds {
  readonly p99: number;
  readonly max: number;
}

// Each look is a timer that wakes an idle process up: at 20 ms, being woken up was a third of its profile. Nobody acts on less than this either.
const RESOLUTION_MS = 100;
const NS_PER_SECOND = 1e9;

/** How late the event loop is, a window at a time, so that an old stall does not colour every reading after it. */
export class EventLoopDelay {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #last: DelaySeconds = { p99: 0, max: 0 };

  constructor() {
    this.#histogram.enable();
  }

  /** Of the last whole window. */
  seconds(): DelaySeconds {
    return this.#last;
  }

  /** Ends one window and begins the next. */
  turn(): void {
    // A window without a sample has no maximum.
    if (this.#histogram.count > 0)
      this.#last = {
        p99: this.#histogram.percentile(99) / NS_PER_SECOND,
        max: this.#histogram.max / NS_PER_SECOND,
      };
    this.#histogram.reset();
  }

  close(): void {
    this.#histogram.disable();
  }
}

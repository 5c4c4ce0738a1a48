import type { WriterClock } from '../src/writer/writer.ts';
import { type Signal, signal } from './signal.ts';

interface Rest {
  readonly ms: number;
  readonly end: () => void;
}

/** A clock whose rests end when the test says so. */
export class ManualClock implements WriterClock {
  #resting: Signal<Rest> = signal<Rest>();

  sleep(ms: number, stopped: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      stopped.addEventListener('abort', () => resolve());
      this.#resting.resolve({ ms, end: resolve });
    });
  }

  /** Waits until somebody rests; gives for how long. */
  async rests(): Promise<number> {
    return (await this.#resting.promise).ms;
  }

  /** Ends the rest, and waits for the next one. */
  async next(): Promise<number> {
    const { end } = await this.#resting.promise;
    this.#resting = signal<Rest>();
    end();
    return this.rests();
  }
}

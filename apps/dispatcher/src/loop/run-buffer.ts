import type { HeldRun } from './held-run.ts';

/** Claimed runs that no worker has begun. Small by intent: the backlog stays in the database, where every dispatcher can take from it. */
export class RunBuffer {
  #runs: HeldRun[] = [];
  #records = 0;
  #closed = false;
  readonly #waiting: ((run: HeldRun | null) => void)[] = [];
  readonly #onTake: () => void;

  /** `onTake` is called whenever a worker has taken a run or waits for one: there may be room for a claim. */
  constructor(onTake: () => void) {
    this.#onTake = onTake;
  }

  get records(): number {
    return this.#records;
  }

  /** Workers without work. */
  get idle(): number {
    return this.#waiting.length;
  }

  put(runs: readonly HeldRun[]): void {
    this.#runs.push(...runs);
    this.#records += countRecords(runs);
    while (this.#waiting.length > 0 && this.#runs.length > 0) this.#waiting.shift()?.(this.#next());
  }

  /** The next run, as soon as there is one; null once the buffer is closed. */
  take(): Promise<HeldRun | null> {
    const run = this.#next();
    if (run !== null || this.#closed) {
      this.#onTake();
      return Promise.resolve(run);
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#onTake();
    });
  }

  /** Takes runs that go along with one that was taken, as long as all of them together have no more than `most` records. */
  takeAlong(goesAlong: (run: HeldRun) => boolean, most: number): readonly HeldRun[] {
    let records = 0;
    const along = this.#runs.filter((run) => {
      if (records >= most || records + run.records.length > most || !goesAlong(run)) return false;
      records += run.records.length;
      return true;
    });
    if (along.length === 0) return along;
    const taken = new Set(along);
    this.#runs = this.#runs.filter((run) => !taken.has(run));
    this.#records -= records;
    this.#onTake();
    return along;
  }

  /** Takes back the runs of one owner that nobody has begun. */
  takeBack(owner: string): readonly HeldRun[] {
    const back = this.#runs.filter((run) => run.owner === owner);
    this.#runs = this.#runs.filter((run) => run.owner !== owner);
    this.#records -= countRecords(back);
    return back;
  }

  /** Nothing is handed out any more. Gives what nobody has begun. */
  close(): readonly HeldRun[] {
    this.#closed = true;
    const back = this.#runs;
    this.#runs = [];
    this.#records = 0;
    for (const resolve of this.#waiting.splice(0)) resolve(null);
    return back;
  }

  #next(): HeldRun | null {
    const run = this.#runs.shift() ?? null;
    if (run !== null) this.#records -= run.records.length;
    return run;
  }
}

function countRecords(runs: readonly HeldRun[]): number {
  return runs.reduce((sum, run) => sum + run.records.length, 0);
}

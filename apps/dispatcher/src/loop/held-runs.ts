import type { HeldRun } from './held-run.ts';

/** Every run that this process holds, under whatever owner id it was claimed. */
export class HeldRuns {
  readonly #runs = new Set<HeldRun>();
  #emptied: (() => void)[] = [];

  get size(): number {
    return this.#runs.size;
  }

  /**
   * Takes runs in. A head that was held already has come back: its lease had run out, or a crash of the server has undone its claim.
   * Whoever works on it under the old claim is told to stop.
   */
  add(runs: readonly HeldRun[]): void {
    const heads = new Set(runs.map((run) => run.head));
    for (const held of this.#runs) {
      if (heads.has(held.head)) held.lose();
    }
    for (const run of runs) this.#runs.add(run);
  }

  remove(run: HeldRun): void {
    this.#runs.delete(run);
    if (this.#runs.size === 0) for (const resolve of this.#emptied.splice(0)) resolve();
  }

  ofOwner(owner: string): readonly HeldRun[] {
    return [...this.#runs].filter((run) => run.owner === owner);
  }

  /** Stops what can no longer be under way safely. Gives the runs that were stopped. */
  stopUnsafe(now: number): readonly HeldRun[] {
    const unsafe = [...this.#runs].filter((run) => !run.isStopped && now >= run.safeUntil);
    for (const run of unsafe) run.stop('the lease could not be renewed in time');
    return unsafe;
  }

  /** Stops everything: the program has to end at once. */
  stopAll(reason: string): void {
    for (const run of this.#runs) run.stop(reason);
  }

  /** Ends when nothing is held. */
  async whenEmpty(): Promise<void> {
    if (this.#runs.size > 0) await new Promise<void>((resolve) => this.#emptied.push(resolve));
  }

  all(): readonly HeldRun[] {
    return [...this.#runs];
  }
}

import type { Run } from '@waybill/store';

/** Longer runs hardly get cheaper: a claim, a settlement and a wake are shared by sixteen records then. */
const MOST_RECORDS_A_HEAD = 16;

/**
 * How many keys the next claim may take. A claim is bounded by its records, and taking a few keys with their followers is much cheaper than taking
 * each key's first record alone. So where keys have backlogs, fewer keys are asked for, down to a sixteenth of the records; where they
 * have none, as many as records. `least` keys are asked for in any case, so that every worker has one.
 */
export class HeadBudget {
  /** Records that a head should bring along with itself. */
  #recordsAHead = 1;

  /** Heads to ask for, within a claim of at most `records`. */
  heads(records: number, least: number): number {
    return Math.min(records, Math.max(least, Math.ceil(records / this.#recordsAHead)));
  }

  /** Learns from a claim that was to take at most so many heads. */
  learn(runs: readonly Pick<Run, 'recordKey' | 'records'>[], heads: number): void {
    // Fewer than were asked for: nothing else was ready, and the next claim is not for fewer.
    if (runs.length < heads) this.#recordsAHead = 1;
    else if (isKeyed(runs) && recordsOf(runs) >= runs.length * this.#recordsAHead * ENOUGH) this.#grow();
    else this.#recordsAHead = Math.max(1, this.#recordsAHead / 2);
  }

  #grow(): void {
    this.#recordsAHead = Math.min(MOST_RECORDS_A_HEAD, this.#recordsAHead * 2);
  }
}

/** A share of what was hoped for that is still worth hoping for more. */
const ENOUGH = 0.75;

function isKeyed(runs: readonly Pick<Run, 'recordKey'>[]): boolean {
  return runs.filter(({ recordKey }) => recordKey !== '').length > runs.length / 2;
}

function recordsOf(runs: readonly Pick<Run, 'records'>[]): number {
  return runs.reduce((sum, { records }) => sum + records.length, 0);
}

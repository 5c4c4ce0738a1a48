import { classifyStoreError } from '../sql-errors.ts';
import type { DeadLetterFilter, DeadLetterRow } from '../statements/dead-letter-find.ts';
import { replayDeadLetters } from '../statements/replay.ts';
import type { Store } from '../store.ts';
import { type OperatorOptions, operate } from './audit.ts';
import type { Operator } from './operator.ts';

export interface ReplayTally {
  readonly replayed: number;
  /** Somebody else replayed or discarded them meanwhile. */
  readonly gone: number;
  /** Their key was in the hands of a long transaction, or the operation was cancelled before they came up again: still dead. */
  readonly busy: number;
}

export interface ReplayRunOptions<Native> {
  readonly store: Store<Native>;
  readonly filter: DeadLetterFilter;
  readonly by: Operator;
  readonly audit: OperatorOptions<Native>;
}

/** One bulk replay under way: keeps the order of each key while some keys cannot be had at once. */
export class ReplayRun<Native> {
  replayed = 0;
  gone = 0;
  readonly #options: ReplayRunOptions<Native>;
  /** Messages of keys whose guard was taken, in order. Later ones of such a key join them, so that none overtakes another. */
  readonly #postponed: DeadLetterRow[] = [];

  constructor(options: ReplayRunOptions<Native>) {
    this.#options = options;
  }

  /** Replays a batch in one transaction. Waits for nobody: what cannot be had at once is postponed. */
  async replay(rows: readonly DeadLetterRow[]): Promise<void> {
    const keys = new Set(this.#postponed.map(({ recordKey }) => recordKey));
    const open = rows.filter(({ recordKey }) => !keys.has(recordKey));
    const missed = await this.#replayBatch(open, false);
    const unguarded = missed.filter(({ recordKey }) => recordKey === '');
    this.gone += unguarded.length;
    const late = new Set([...missed, ...rows.filter((row) => !open.includes(row))]);
    this.#postponed.push(...rows.filter((row) => late.has(row) && row.recordKey !== ''));
  }

  /** Takes what was postponed one by one, waiting for each guard. */
  async finish(signal: AbortSignal | undefined): Promise<ReplayTally> {
    const busyKeys = new Set<string>();
    let busy = 0;
    for (const row of this.#postponed) {
      const taken = signal?.aborted !== true && !busyKeys.has(row.recordKey) && (await this.#replayPatiently(row));
      if (taken) continue;
      busyKeys.add(row.recordKey);
      busy += 1;
    }
    return { replayed: this.replayed, gone: this.gone, busy };
  }

  /** False: the guard did not come free in time. */
  async #replayPatiently(row: DeadLetterRow): Promise<boolean> {
    try {
      const missed = await this.#replayBatch([row], true);
      this.gone += missed.length;
      return true;
    } catch (error) {
      if (classifyStoreError(error) === 'transient') return false;
      throw error;
    }
  }

  /** Gives the rows that were not replayed. Counts only what has been committed. */
  async #replayBatch(rows: readonly DeadLetterRow[], patient: boolean): Promise<readonly DeadLetterRow[]> {
    if (rows.length === 0) return [];
    const { store, filter, by, audit } = this.#options;
    const places = await operate(store, by, audit, async ({ tx, record }) => {
      const found = await replayDeadLetters(tx, store, {
        deadLetters: rows.map(({ deadLetter }) => deadLetter),
        patient,
      });
      const replayed = rows.filter(({ deadLetter }) => found.has(deadLetter));
      if (replayed.length > 0) {
        await record({
          action: 'replay',
          what: { messages: replayed.map(({ message }) => message), selection: { ...filter } },
          before: replayed.map(({ seq: _, recordKey: __, failedAt, ...failure }) => ({
            ...failure,
            failedAt: failedAt.toISOString(),
          })),
          after: { places: replayed.map(({ deadLetter }) => found.get(deadLetter)) },
        });
      }
      return found;
    });
    this.replayed += places.size;
    return rows.filter(({ deadLetter }) => !places.has(deadLetter));
  }
}

import { classifyStoreError, type Next, type Settlement, type SettleResult } from '@waybill/store';
import { type BackoffShape, backoffMs } from '../retry/backoff.ts';
import type { Clock } from './clock.ts';
import type { HeldRun } from './held-run.ts';
import type { IncidentLog } from './incident-log.ts';

export interface SettlerDeps {
  /** Writes settlements in one statement; one result each, in their order. */
  readonly write: (settlements: readonly Settlement[]) => Promise<readonly SettleResult[]>;
  /** The run is over: settled, lost or given up. */
  readonly onEnded: (run: HeldRun) => void;
  /** Something was written, so a key may have a new head. */
  readonly onWritten: (results: readonly SettleResult[]) => void;
  readonly onOutage: (operation: string, cause: unknown) => void;
  /** Settlements that the store refuses for reasons of their own. */
  readonly refusals: IncidentLog;
  /** How many runs this process holds, those that wait to be written included, and whether some of them wait for a worker. */
  readonly load: () => { readonly held: number; readonly hasBacklog: boolean };
  readonly clock: Clock;
  readonly random: () => number;
  /** Ends the settler's rests; nothing is written after it. */
  readonly signal: AbortSignal;
}

/** Bounds one statement: the rows it locks, and what is repeated when it fails. */
const MAX_FLUSH_RUNS = 500;
/** Workers rest while more runs than this wait: two flushes, so that the database sets the pace and not the memory. */
const MAX_UNSETTLED_RUNS = 2 * MAX_FLUSH_RUNS;
/**
 * A flush of ten runs costs the database nearly what one of a hundred does, so runs gather that long where nobody waits for them. What would be
 * delivered again after a crash grows by no more than that.
 */
const GATHER_MS = 10;
/** From here on a statement costs hardly less for each run. */
const GATHERED_RUNS = 100;
/** An outage is noticed by everybody at once; a quarter of a second at first, so that a failover of a second costs little. */
const OUTAGE_BACKOFF: BackoffShape = { baseMs: 250, factor: 2, capMs: 5_000 };
/** A locked head is usually free soon. */
const REFUSED_BACKOFF: BackoffShape = { baseMs: 50, factor: 2, capMs: 10_000 };
/** A settlement that the store refuses as wrong will be refused again; its lease runs out instead, and nobody else is held up. */
const MAX_REFUSALS = 8;

interface Entry {
  readonly run: HeldRun;
  readonly settlement: Settlement;
}

/**
 * Writes down how runs ended. While one flush is under way the next one gathers, so settlements are few and large under load and at once without
 * it, and no timer is needed. A flush that fails for what is in it is halved until the one run that is the reason delays only itself.
 */
export class Settler {
  readonly #deps: SettlerDeps;
  readonly #waiting = new Set<HeldRun>();
  readonly #writing = new Set<HeldRun>();
  /** Refused by the store, and to be tried again after a rest. */
  readonly #resting = new Set<HeldRun>();
  readonly #refusals = new WeakMap<HeldRun, number>();
  /** Ends the gathering early. */
  #gathering: AbortController | null = null;
  #watchers: { readonly holds: () => boolean; readonly resolve: () => void }[] = [];
  #active = false;
  #outages = 0;

  constructor(deps: SettlerDeps) {
    this.#deps = deps;
  }

  /** Something of the run was delivered and the run goes on: written when a flush has room for it. */
  progress(run: HeldRun): void {
    this.#enqueue(run);
  }

  /** The run is over for its worker; `next` is what becomes of the first record that was not delivered. */
  finish(run: HeldRun, next: Next): void {
    run.finish(next);
    this.#enqueue(run);
  }

  get hasRoom(): boolean {
    return this.#unsettled() < MAX_UNSETTLED_RUNS;
  }

  /** Ends when there is room for another run. */
  room(): Promise<void> {
    return this.#until(() => this.hasRoom);
  }

  /** Ends when nothing of the run waits or is being written: the caller may write it in a transaction of its own. */
  quiet(run: HeldRun): Promise<void> {
    return this.#until(() => !this.#waiting.has(run) && !this.#writing.has(run) && !this.#resting.has(run));
  }

  /** Ends when nothing at all waits. */
  idle(): Promise<void> {
    return this.#until(() => this.#unsettled() === 0);
  }

  #unsettled(): number {
    return this.#waiting.size + this.#writing.size + this.#resting.size;
  }

  #until(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve();
    this.#gathering?.abort('somebody waits');
    return new Promise((resolve) => this.#watchers.push({ holds, resolve }));
  }

  #tellWatchers(): void {
    const holding = this.#watchers.filter(({ holds }) => holds());
    this.#watchers = this.#watchers.filter((watcher) => !holding.includes(watcher));
    for (const { resolve } of holding) resolve();
  }

  #enqueue(run: HeldRun): void {
    // A refused run comes back by itself; what it has gathered since is written with it.
    if (!this.#resting.has(run)) this.#waiting.add(run);
    if (this.#isUrgent(run)) this.#gathering?.abort('it is urgent');
    if (this.#active) return;
    this.#active = true;
    void this.#flushAll();
  }

  async #flushAll(): Promise<void> {
    // The workers that finish in this turn of the event loop share the first flush.
    await Promise.resolve();
    while (this.#waiting.size > 0) {
      if (!this.#isDue()) await this.#gather();
      if (this.#deps.signal.aborted) break;
      const batch = this.#takeBatch();
      for (const run of batch) this.#writing.add(run);
      await this.#flush(batch);
      this.#writing.clear();
      this.#tellWatchers();
    }
    this.#active = false;
  }

  #isDue(): boolean {
    return this.#watchers.length > 0 || [...this.#waiting].some((run) => this.#isUrgent(run));
  }

  /** A flush waits for company, if company can come and nobody waits for the flush. */
  async #gather(): Promise<void> {
    this.#gathering = new AbortController();
    await this.#deps.clock.sleep(GATHER_MS, this.#gathering.signal);
    this.#gathering = null;
  }

  /** Whether what is waiting is to be written now, `run` being one of it. Somebody may wait for a key that is free, unless all workers are busy anyway. */
  #isUrgent(run: HeldRun): boolean {
    const { held, hasBacklog } = this.#deps.load();
    const isAwaited = run.isFinished && run.recordKey !== '' && !hasBacklog;
    return isAwaited || this.#waiting.size >= GATHERED_RUNS || held <= this.#unsettled();
  }

  /** Finished runs first: somebody waits for their key. Runs under way fill what is left. */
  #takeBatch(): readonly HeldRun[] {
    const finished = [...this.#waiting].filter((run) => run.isFinished);
    const underWay = [...this.#waiting].filter((run) => !run.isFinished);
    const batch = [...finished, ...underWay].slice(0, MAX_FLUSH_RUNS);
    for (const run of batch) this.#waiting.delete(run);
    return batch;
  }

  async #flush(batch: readonly HeldRun[]): Promise<void> {
    const entries = this.#entriesOf(batch);
    if (entries.length === 0) return;
    const runs = entries.map(({ run }) => run);
    for (const run of runs) run.beginWrite();
    const written = await this.#write(entries);
    for (const run of runs) run.endWrite();
    if (written.status === 'failed') await this.#failed(runs, written.error);
  }

  #entriesOf(batch: readonly HeldRun[]): readonly Entry[] {
    return batch.flatMap((run) => {
      const settlement = run.settlement();
      if (run.isGone) this.#deps.onEnded(run);
      return settlement === null ? [] : [{ run, settlement }];
    });
  }

  async #write(
    entries: readonly Entry[],
  ): Promise<{ readonly status: 'written' } | { readonly status: 'failed'; readonly error: unknown }> {
    let results: readonly SettleResult[];
    try {
      results = await this.#deps.write(entries.map(({ settlement }) => settlement));
      for (const [index, entry] of entries.entries()) this.#apply(entry, results[index]);
    } catch (error) {
      return { status: 'failed', error };
    }
    this.#outages = 0;
    this.#deps.onWritten(results);
    return { status: 'written' };
  }

  #apply({ run, settlement }: Entry, result: SettleResult | undefined): void {
    if (result === undefined) throw new TypeError('a settlement was answered with too few results');
    this.#refusals.delete(run);
    if (run.settled(settlement, result)) this.#deps.onEnded(run);
  }

  async #failed(runs: readonly HeldRun[], error: unknown): Promise<void> {
    const kind = classifyStoreError(error);
    if (kind === 'unavailable') return this.#restThroughOutage(runs, error);
    const [run] = runs;
    if (runs.length === 1 && run !== undefined) {
      this.#retryLater(run, kind, error);
      return;
    }
    const half = Math.ceil(runs.length / 2);
    await this.#flush(runs.slice(0, half));
    await this.#flush(runs.slice(half));
  }

  /** Whether a lease still counts is for the store to say, so the runs wait for its answer, however long that takes. */
  async #restThroughOutage(runs: readonly HeldRun[], error: unknown): Promise<void> {
    this.#deps.onOutage('settle', error);
    this.#outages += 1;
    for (const run of runs) this.#waiting.add(run);
    await this.#deps.clock.sleep(backoffMs(this.#outages, OUTAGE_BACKOFF, this.#deps.random), this.#deps.signal);
  }

  #retryLater(run: HeldRun, kind: 'transient' | 'fatal', error: unknown): void {
    const refusals = (this.#refusals.get(run) ?? 0) + 1;
    this.#refusals.set(run, refusals);
    if (kind === 'fatal') this.#deps.refusals.failed('settle', error);
    if (kind === 'fatal' && refusals >= MAX_REFUSALS) {
      run.lose();
      this.#deps.onEnded(run);
      return;
    }
    this.#resting.add(run);
    const restMs = backoffMs(refusals, REFUSED_BACKOFF, this.#deps.random);
    void this.#deps.clock.sleep(restMs, this.#deps.signal).then(() => {
      this.#resting.delete(run);
      this.#enqueue(run);
    });
  }
}

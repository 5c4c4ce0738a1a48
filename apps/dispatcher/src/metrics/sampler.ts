import { auditSome, liveDispatchers, readSignals, readStoreHealth, type Store, type StoreHealth } from '@waybill/store';
import type { Clock } from '../loop/clock.ts';
import type { DatabaseClock } from './database-clock.ts';
import type { MetricsSink } from './metric.ts';
import type { Sample } from './store-gauges.ts';

export interface SamplerDeps {
  /** Over connections of its own, so that a slow look delays no claim. */
  readonly store: Store;
  /** The id that this process is registered under; null while it is not. */
  readonly owner: () => string | null;
  readonly everyMs: number;
  readonly sink: MetricsSink;
  readonly databaseClock: DatabaseClock;
  readonly clock: Clock;
  /** Called at each turn, whatever it finds. */
  readonly onTurn: () => void;
  readonly onFailed: (operation: string, cause: unknown) => void;
}

/** Readings older than so many intervals are withdrawn: two looks may fail before an operator is shown nothing. */
const STALE_INTERVALS = 3;

/**
 * Looks at the store now and then, if this process is the one to do it: of the live dispatchers the one that has been registered longest. All agree
 * on it by looking at the registry alone; where two do it for a moment, two tell the same.
 */
export class Sampler {
  readonly #deps: SamplerDeps;
  #last: (Omit<Sample, 'ageMs'> & { readonly at: number }) | null = null;
  #auditedUpTo = '';

  constructor(deps: SamplerDeps) {
    this.#deps = deps;
    for (const finding of ['waiting', 'orphaned']) deps.sink.count('waybill.audit.findings', { finding }, 0);
  }

  /** The last look; null when this process is not the one to look, and when the last one is too old. */
  latest(): Sample | null {
    if (this.#last === null) return null;
    const { at, ...seen } = this.#last;
    const ageMs = this.#deps.clock.now() - at;
    return ageMs > STALE_INTERVALS * this.#deps.everyMs ? null : { ...seen, ageMs };
  }

  /** Goes on until the signal fires. Never throws: what fails is told, and the readings grow old. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, everyMs, onTurn, onFailed } = this.#deps;
    while (!signal.aborted) {
      onTurn();
      try {
        await this.#turn();
      } catch (error) {
        onFailed('sample', error);
      }
      await clock.sleep(everyMs, signal);
    }
    this.#last = null;
  }

  async #turn(): Promise<void> {
    const { store, owner, clock, databaseClock, sink } = this.#deps;
    const sentAt = clock.now();
    const { now, dispatchers } = await liveDispatchers(store);
    databaseClock.set(now.getTime(), sentAt);
    if (dispatchers[0]?.id !== owner()) {
      this.#last = null;
      return;
    }
    const startedAt = clock.now();
    const health = await this.#health();
    const at = clock.now();
    this.#last = { signals: await readSignals(store), health, at };
    sink.record('waybill.sample.duration', {}, (clock.now() - startedAt) / 1_000);
    await this.#audit();
  }

  /** Apart from what waits, which is to be seen also while a table that it does not need is locked; and before it, so that waiting for this makes it no older. */
  async #health(): Promise<StoreHealth | null> {
    try {
      return await readStoreHealth(this.#deps.store);
    } catch (error) {
      this.#deps.onFailed('sample', error);
      return null;
    }
  }

  /** A step at a time, so that a look costs the same however many keys there are. */
  async #audit(): Promise<void> {
    const { waiting, orphaned, lastKey } = await auditSome(this.#deps.store, this.#auditedUpTo);
    this.#auditedUpTo = lastKey ?? '';
    this.#deps.sink.count('waybill.audit.findings', { finding: 'waiting' }, waiting.length);
    this.#deps.sink.count('waybill.audit.findings', { finding: 'orphaned' }, orphaned.length);
  }
}

import { registerContracts } from '../contracts.ts';
import { requireSoundPositions } from '../doctor/positions.ts';
import { GENERATION } from '../generations/generation.ts';
import { requireReadySchema } from '../migrate.ts';
import { leaveWriter, registerWriter, seeWriter } from '../statements/writer-registry.ts';
import type { Store } from '../store.ts';
import { WriterIncident } from './incident.ts';
import { systemWriterClock, type Writer, type WriterOptions } from './writer.ts';

/** Gates take a writer for gone after several missed beats, and an outbox has few writers: rare beats cost nothing and are soon enough. */
export const WRITER_BEAT_MS = 10_000;
/** A writer counts as running until it has missed six beats: one that is merely slow must not vanish from a gate. */
export const LIVE_WRITER_MS: number = 6 * WRITER_BEAT_MS;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

/**
 * Enters a service in the registry of writers, and shows from then on that it lives. Optional: enqueue works without it, but nobody who asks
 * which builds still write an older version can see a service that did not register.
 *
 * Returns at once. The store need not be there yet; problems are reported and tried again, and never thrown.
 */
export function startWriter(store: Store, options: WriterOptions): Writer {
  return new RegisteredWriter(store, options);
}

class RegisteredWriter implements Writer {
  readonly registered: Promise<void>;
  readonly #store: Store;
  readonly #options: WriterOptions;
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  #id: number | null = null;
  #resolveRegistered: () => void = () => {};

  constructor(store: Store, options: WriterOptions) {
    this.#store = store;
    this.#options = options;
    this.registered = new Promise((resolve) => {
      this.#resolveRegistered = resolve;
    });
    this.#done = this.#beatUntilStopped();
  }

  get schema(): string {
    return this.#store.schema;
  }

  get id(): number | null {
    return this.#id;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
    this.#resolveRegistered();
    const id = this.#id;
    this.#id = null;
    // Where the store is down the entry grows old, which says the same a little later.
    if (id !== null) await leaveWriter(this.#store.database, this.#store, id).catch(() => undefined);
  }

  async #beatUntilStopped(): Promise<void> {
    const { clock = systemWriterClock, report } = this.#options;
    const incident = new WriterIncident(report);
    while (!this.#stopping.signal.aborted) {
      let restMs = WRITER_BEAT_MS;
      try {
        incident.works(await this.#beat());
      } catch (cause) {
        restMs = retryMs(incident.failures);
        incident.failed(cause, restMs);
      }
      await clock.sleep(restMs, this.#stopping.signal);
    }
  }

  /** Gives the id under which the service is in the registry: a new one at first, and when somebody has removed its entry. */
  async #beat(): Promise<number> {
    const { database } = this.#store;
    if (this.#id === null || !(await seeWriter(database, this.#store, this.#id))) this.#id = await this.#register();
    this.#resolveRegistered();
    return this.#id;
  }

  async #register(): Promise<number> {
    const { build, writes } = this.#options;
    const { database } = this.#store;
    await requireReadySchema(this.#store);
    await requireSoundPositions(this.#store);
    const contracts = writes.map(({ type, newest, kind }) => ({ type, version: newest, kind }));
    const ids = await registerContracts(this.#store, contracts, build);
    return registerWriter(database, this.#store, { build, generation: GENERATION, contractIds: [...ids.values()] });
  }
}

function retryMs(failures: number): number {
  return Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
}

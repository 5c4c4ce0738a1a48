import { randomUUID } from 'node:crypto';
import {
  type ContractIds,
  createClaimer,
  openStore,
  registerContracts,
  registerDispatcher,
  type Store,
  settle,
} from '@waybill/store';
import { connectPg, enqueue } from '@waybill/store/pg';
import pg from 'pg';
import { WeighParcel } from './parcels.ts';

const CONTRACT = { type: WeighParcel.type, version: 1, kind: WeighParcel.kind };

/** An outbox whose messages a test lets die and delivers by hand. */
export class DeadLetters implements AsyncDisposable {
  readonly store: Store;
  readonly #database: ReturnType<typeof connectPg>;
  readonly #pool: pg.Pool;
  readonly #contracts: ContractIds;
  /** The dispatcher by hand. */
  readonly owner: string = randomUUID();

  private constructor(url: string, database: ReturnType<typeof connectPg>, store: Store, contracts: ContractIds) {
    this.#pool = new pg.Pool({ connectionString: url, max: 1 }).on('error', () => undefined);
    this.#database = database;
    this.store = store;
    this.#contracts = contracts;
  }

  static async open(url: string): Promise<DeadLetters> {
    const database = connectPg({
      url,
      max: 2,
      applicationName: 'waybill/test',
      connectTimeoutMs: 30_000,
      statementTimeoutMs: 30_000,
    });
    const store = openStore(database);
    const contracts = await registerContracts(store, [CONTRACT], 'parcels@test');
    const letters = new DeadLetters(url, database, store, contracts);
    await registerDispatcher(store, {
      id: letters.owner,
      build: 'parcels@test',
      contractIds: [...contracts.values()],
      routing: { [WeighParcel.type]: WeighParcel.type },
    });
    return letters;
  }

  /** Writes one message for each parcel, in order. */
  async write(...parcels: readonly string[]): Promise<readonly string[]> {
    const client = await this.#pool.connect();
    try {
      await client.query('begin');
      const ids: string[] = [];
      for (const parcel of parcels) ids.push((await enqueue(client, WeighParcel, { parcel, grams: 4242 })).id);
      await client.query('commit');
      return ids;
    } finally {
      client.release();
    }
  }

  /** Writes one message for each parcel as services from before the record keys do. */
  async writeKeyless(...parcels: readonly string[]): Promise<void> {
    const messages = parcels.map(() => CONTRACT);
    const payloads = parcels.map((parcel) => ({ parcel, grams: 4242 }));
    await this.#pool.query('select outcome from waybill.enqueue($1::text::json, $2::text::json, null)', [
      JSON.stringify(messages),
      JSON.stringify(payloads),
    ]);
  }

  /** Lets everything that can be claimed die, or delivers it. */
  async settleAll(end: 'dead-letter' | 'dispatched'): Promise<void> {
    const claimer = createClaimer(this.store, {
      owner: this.owner,
      contracts: this.#contracts,
      leaseMs: 60_000,
      now: () => performance.now(),
    });
    for (;;) {
      const { runs } = await claimer.claim({ limit: 100, runLength: 1, timed: true });
      if (runs.length === 0) return;
      await settle(
        this.#database,
        this.store,
        this.owner,
        runs.map(({ head, fence }) => ({
          head,
          fence,
          delivered: end === 'dispatched' ? [head] : [],
          next:
            end === 'dispatched'
              ? { then: 'release' }
              : { then: 'dead-letter', position: head, reason: 'refused', error: 'the scale said \u001b[2Jno' },
        })),
      );
    }
  }

  /** Writes messages that are dead by the time it ends. */
  async bury(...parcels: readonly string[]): Promise<readonly string[]> {
    const ids = await this.write(...parcels);
    await this.settleAll('dead-letter');
    return ids;
  }

  async rows(sql: string): Promise<readonly unknown[]> {
    return (await this.#pool.query<Record<string, unknown>>(sql)).rows;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
    await this.#database.close();
  }
}

import { randomUUID } from 'node:crypto';
import { type AnyMessage, createReaders, type PayloadOf, type Readers } from '@waybill/contracts';
import { testDatabase } from '@waybill/local-postgres/vitest';
import { type Connection, type Database, type EnqueueEntry, type EnqueueOptions, openStore } from '@waybill/store';
import { connectPg, enqueue, enqueueMany } from '@waybill/store/pg';
import pg, { type PoolClient } from 'pg';
import { pino } from 'pino';
import { onTestFinished, vi } from 'vitest';
import type { DestinationLimits } from '../src/flow/destination.ts';
import { type Clock, systemClock } from '../src/loop/clock.ts';
import { startDispatcher } from '../src/loop/dispatcher.ts';
import type { ChooseDrainMode } from '../src/loop/drain-modes.ts';
import type { OpenHints } from '../src/loop/hints.ts';
import { type LoopObserver, NO_OBSERVER, type TraceAttempt, untraced } from '../src/loop/observer.ts';
import type { RunningDispatcher } from '../src/loop/running-dispatcher.ts';
import type { LoopSettings } from '../src/loop/settings.ts';
import type { Suspects } from '../src/loop/suspects.ts';
import { call } from '../src/routes/call.ts';
import type { Route } from '../src/routes/route.ts';
import { MoveParcel, NotifyOwner, parcels, WeighParcel } from './parcels.ts';

/** Nobody crashes in these tests, unless they say so. */
const NO_SUSPECTS: Suspects = { role: 'leave', onFound: () => {} };

/** Quick enough for a test; but a process that gets no time for a while on a busy machine keeps its leases, and is not taken for dead. */
export const QUICK: LoopSettings = {
  workers: { concurrency: 4, runLength: 50 },
  lease: { leaseMs: 30_000, renewEveryMs: 2_000 },
  retry: { maxAttempts: 3, baseMs: 20, factor: 2, capMs: 200 },
  polling: { busyMs: 2, idleMs: 50 },
  shutdown: { drainMs: 5_000 },
};

/** What is waited for comes soon; only a hang reaches this. Less than a test has, so that the failure says what did not come. */
export const PATIENCE = { timeout: 120_000, interval: 20 };

export interface RecordRow {
  readonly id: string;
  readonly type: string;
  readonly state: string;
  readonly attempt: number;
  readonly last_error: string | null;
  readonly record_key: string;
  readonly lease_owner: string | null;
  readonly payload: unknown;
}

/** A database of a test's own, with producers' and operators' hands on it. */
export class Outbox {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly #dispose: () => PromiseLike<void>;

  private constructor(url: string, pool: pg.Pool, dispose: () => PromiseLike<void>) {
    this.url = url;
    this.pool = pool;
    this.#dispose = dispose;
  }

  /** An outbox for the running test; it goes away with it. */
  static async forTest(options: { readonly empty?: boolean } = {}): Promise<Outbox> {
    const outbox = await Outbox.create(options);
    onTestFinished(() => outbox.close());
    return outbox;
  }

  /** An outbox of the running test in a database that is there, however one comes to it. */
  static at(url: string): Outbox {
    const pool = poolOf(url);
    const outbox = new Outbox(url, pool, () => Promise.resolve());
    onTestFinished(() => outbox.close());
    return outbox;
  }

  static async create(options: { readonly empty?: boolean } = {}): Promise<Outbox> {
    const database = await testDatabase(options);
    return new Outbox(database.url, poolOf(database.url), () => database[Symbol.asyncDispose]());
  }

  async enqueue<M extends AnyMessage>(
    message: M,
    payload: PayloadOf<M>,
    options: EnqueueOptions = {},
  ): Promise<string> {
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      const { id } = await enqueue(client, message, payload, options);
      await client.query('commit');
      return id;
    } finally {
      client.release();
    }
  }

  async enqueueMany(entries: readonly EnqueueEntry[]): Promise<void> {
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      await enqueueMany(client, entries);
      await client.query('commit');
    } finally {
      client.release();
    }
  }

  /** Steps of one parcel, in order. */
  async moves(parcel: string, count: number): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let step = 1; step <= count; step += 1) ids.push(await this.enqueue(MoveParcel, { parcel, step, depot: 'd' }));
    return ids;
  }

  async query(text: string, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> {
    return (await this.pool.query<Record<string, unknown>>(text, [...values])).rows;
  }

  async records(): Promise<readonly RecordRow[]> {
    return (await this.pool.query<RecordRow>('select * from waybill.record order by enqueued_at, id')).rows;
  }

  async record(id: string): Promise<RecordRow | undefined> {
    return (await this.records()).find((row) => row.id === id);
  }

  /** Waits until the records satisfy the condition. */
  until(condition: (rows: readonly RecordRow[]) => boolean): Promise<readonly RecordRow[]> {
    return vi.waitFor(async () => {
      const rows = await this.records();
      if (!condition(rows))
        throw new Error(
          `still: ${JSON.stringify(rows.map(({ state, attempt, last_error }) => ({ state, attempt, last_error })))}`,
        );
      return rows;
    }, PATIENCE);
  }

  /** Waits until a table has so many rows. */
  untilCount(table: string, count: number): Promise<void> {
    return vi.waitFor(async () => {
      const [row] = await this.query(`select count(*)::integer as rows from ${table}`);
      if (row?.['rows'] !== count) throw new Error(`${table} has ${String(row?.['rows'])} rows`);
    }, PATIENCE);
  }

  untilDispatched(count: number): Promise<readonly RecordRow[]> {
    return this.until((rows) => rows.filter(({ state }) => state === 'dispatched').length === count);
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.#dispose();
  }
}

function poolOf(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 5 });
  // A test may end every connection of the database.
  pool.on('error', () => {});
  return pool;
}

export interface LoopOptions {
  readonly routes?: Partial<Record<'moved' | 'weigh' | 'notify', Route>>;
  readonly settings?: Partial<LoopSettings>;
  readonly readers?: Readers;
  /** How the dispatcher reaches the database, when it is not the outbox's own URL. */
  readonly url?: string;
  readonly heartbeatUrl?: string;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly poolSize?: number;
  /** For connections too. As long as only a hang takes, unless the test is about one. */
  readonly statementTimeoutMs?: number;
  readonly build?: string;
  readonly suspects?: Suspects;
  readonly chooseMode?: ChooseDrainMode;
  readonly limits?: Readonly<Record<string, DestinationLimits>>;
  readonly observer?: LoopObserver;
  readonly trace?: TraceAttempt;
  readonly openHints?: OpenHints;
  /** Comes between the loop and each connection that it borrows. */
  readonly wrapConnection?: (connection: Connection<PoolClient>) => Connection<PoolClient>;
}

export interface Loop {
  readonly dispatcher: RunningDispatcher;
  /** Log lines, parsed. */
  readonly lines: readonly Record<string, unknown>[];
  /** Names the connections of this loop in pg_stat_activity. */
  readonly applicationName: string;
  /** Owner ids in the order in which they were taken. */
  readonly owners: readonly string[];
  untilRunning(): Promise<void>;
  untilLogged(message: string | RegExp): Promise<Record<string, unknown>>;
}

const nothing = (): void => {};
/** A look costs nothing, and what is awaited is often there at once. */
const AT_ONCE = { ...PATIENCE, interval: 5 };

const hintsOf = ({ openHints }: LoopOptions): Pick<LoopOptions, 'openHints'> =>
  openHints === undefined ? {} : { openHints };

/**
 * Starts a dispatcher of the parcel contracts for the running test; it ends with the test.
 * Types without a given route are accepted and forgotten.
 */
export function startLoop(outbox: Outbox, options: LoopOptions = {}): Loop {
  const lines: Record<string, unknown>[] = [];
  const owners: string[] = [];
  const applicationName = `loop-${randomUUID().slice(0, 8)}`;
  const { database, heartbeatDatabase } = connect(outbox, applicationName, options);
  const { routes = {}, readers = createReaders([parcels]), clock = systemClock, build = 'parcels@1.0.0' } = options;
  const dispatcher = startDispatcher({
    build,
    store: openStore(database),
    database,
    heartbeatDatabase,
    readers,
    routes: [
      routes.moved ?? call(MoveParcel, nothing),
      routes.weigh ?? call(WeighParcel, nothing),
      routes.notify ?? call(NotifyOwner, nothing),
    ],
    settings: { ...QUICK, ...options.settings },
    limits: options.limits ?? {},
    suspects: options.suspects ?? NO_SUSPECTS,
    chooseMode: options.chooseMode ?? (() => Promise.resolve({ mode: 'pull', skips: [] })),
    logger: pino({ level: 'debug', base: null }, { write: (line: string) => void lines.push(parseLine(line)) }),
    clock,
    random: options.random ?? Math.random,
    observer: options.observer ?? NO_OBSERVER,
    trace: options.trace ?? untraced,
    ...hintsOf(options),
    newOwnerId: () => {
      const owner = randomUUID();
      owners.push(owner);
      return owner;
    },
  });
  onTestFinished(async () => {
    dispatcher.abort();
    await dispatcher.done;
    // Not awaited: a test may leave a handler behind that never ends, and its connection with it.
    void database.close();
    void heartbeatDatabase.close();
  });
  return {
    dispatcher,
    lines,
    owners,
    applicationName,
    untilRunning: () => vi.waitFor(() => assert(dispatcher.state() === 'running', dispatcher.state()), AT_ONCE),
    untilLogged: (message) => vi.waitFor(() => find(lines, message), AT_ONCE),
  };
}

function connect(
  outbox: Outbox,
  applicationName: string,
  options: LoopOptions,
): { readonly database: Database<PoolClient>; readonly heartbeatDatabase: Database<PoolClient> } {
  const { url = outbox.url, heartbeatUrl = url, poolSize = 12, statementTimeoutMs = 30_000 } = options;
  const limits = { connectTimeoutMs: statementTimeoutMs, statementTimeoutMs };
  const database = connectPg({ url, max: poolSize, applicationName, ...limits });
  const wrap = options.wrapConnection ?? ((connection) => connection);
  return {
    database: { ...database, connection: (fn) => database.connection((connection) => fn(wrap(connection))) },
    heartbeatDatabase: connectPg({ url: heartbeatUrl, max: 2, applicationName: `${applicationName}-beat`, ...limits }),
  };
}

function parseLine(line: string): Record<string, unknown> {
  // pino writes an object a line.
  return JSON.parse(line) as Record<string, unknown>;
}

function find(lines: readonly Record<string, unknown>[], message: string | RegExp): Record<string, unknown> {
  const found = lines.find(
    ({ msg }) => typeof msg === 'string' && (message instanceof RegExp ? message.test(msg) : msg === message),
  );
  if (found === undefined) throw new Error(`not logged: ${String(message)}; ${JSON.stringify(lines)}`);
  return found;
}

function assert(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

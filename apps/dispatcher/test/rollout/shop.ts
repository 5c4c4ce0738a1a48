import type { AnyMessage } from '@waybill/contracts';
import { type Database, type EnqueueOptions, openStore, startWriter, type Writer } from '@waybill/store';
import { connectPg, outbox } from '@waybill/store/pg';
import type { PoolClient } from 'pg';
import { expect } from 'vitest';
import { Outbox } from '../loop.ts';
import { RunningDispatcher } from '../running-dispatcher.ts';
import { OrderPlaced1, OrderPlaced2 } from './orders.ts';

export type Build = 'old' | 'new';

const NAMES: Readonly<Record<Build, string>> = { old: 'shop@1', new: 'shop@2' };

/** A shop that is rolled out: dispatchers as processes of their own, and services that register as writers. */
export class Shop implements AsyncDisposable {
  readonly #outbox: Outbox;
  readonly #dispatchers = new Map<Build, RunningDispatcher>();
  readonly #services: Service[] = [];
  /** The dead order that was last waited for. */
  deadId = '';

  private constructor(outbox: Outbox) {
    this.#outbox = outbox;
  }

  static async open(): Promise<Shop> {
    return new Shop(await Outbox.create());
  }

  get url(): string {
    return this.#outbox.url;
  }

  /** Starts a dispatcher, and waits until it claims. */
  async startDispatcher(build: Build): Promise<void> {
    const dispatcher = new RunningDispatcher(`../rollout/${build}/dispatcher.config.ts`, {
      WAYBILL_DATABASE_URL: this.url,
    });
    this.#dispatchers.set(build, dispatcher);
    await dispatcher.line(({ msg }) => msg === 'draining begins');
  }

  async stopDispatcher(build: Build): Promise<void> {
    this.#dispatchers.get(build)?.signal('SIGTERM');
    await this.ended(build);
  }

  /** Waits until the dispatcher has ended in order. */
  async ended(build: Build): Promise<void> {
    expect(await this.#dispatchers.get(build)?.exitCode(), `exit code of ${NAMES[build]}`).toBe(0);
  }

  async startService(build: Build): Promise<Service> {
    const service = await Service.start(this.url, build);
    this.#services.push(service);
    return service;
  }

  /** Waits until so many orders are dead. */
  async dead(count: number): Promise<void> {
    const rows = await this.#outbox.until((all) => all.filter(({ state }) => state === 'dead-letter').length === count);
    this.deadId = rows.find(({ state }) => state === 'dead-letter')?.id ?? '';
  }

  /** Waits until no order is on its way. */
  async allDelivered(): Promise<void> {
    await this.#outbox.until((all) => all.every(({ state }) => state === 'dispatched' || state === 'dead-letter'));
  }

  /** What is due later is due now. */
  async comesDue(): Promise<void> {
    await this.#outbox.query(
      `update waybill.delivery set not_before = null, due_at = case when due_at is null then null else clock_timestamp() end
       where not settled and (due_at is not null or not_before is not null)`,
    );
  }

  /** The delivered orders of a customer, in their order: by which build, and at which attempt. */
  async delivered(customer: string): Promise<readonly unknown[]> {
    return this.#outbox.query(
      `select d.build as by, r.attempt from waybill.record r join waybill.dispatcher d on d.id = r.delivered_by
       where r.record_key = $1 and r.state = 'dispatched' order by r.completed_at`,
      [`Customer/${customer}`],
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const dispatcher of this.#dispatchers.values()) await dispatcher[Symbol.asyncDispose]();
    for (const service of this.#services) await service.stop();
    await this.#outbox.close();
  }
}

/** A service of one build, in the registry of writers. */
export class Service {
  readonly #build: Build;
  readonly #database: Database<PoolClient>;
  readonly #writer: Writer;
  readonly #enqueue: ReturnType<typeof outbox>['enqueue'];
  #stopped = false;

  private constructor(build: Build, database: Database<PoolClient>, writer: Writer) {
    this.#build = build;
    this.#database = database;
    this.#writer = writer;
    this.#enqueue = outbox({ writer }).enqueue;
  }

  static async start(url: string, build: Build): Promise<Service> {
    const database = connectPg({
      ...{ url, max: 4, applicationName: `test/${build}` },
      ...{ connectTimeoutMs: 30_000, statementTimeoutMs: 30_000 },
    });
    const writes: readonly AnyMessage[] = [build === 'old' ? OrderPlaced1 : OrderPlaced2];
    const writer = startWriter(openStore(database), { build: NAMES[build], writes });
    await writer.registered;
    return new Service(build, database, writer);
  }

  /** Places an order, and gives the version that was written. The target refuses an order of nothing. */
  async order(customer: string, { total = 4, ...options }: EnqueueOptions & { total?: number } = {}): Promise<number> {
    return this.#database.connection(async ({ native }) => {
      await native.query('begin');
      const { version } = await (this.#build === 'old'
        ? this.#enqueue(native, OrderPlaced1, { customer, total }, options)
        : this.#enqueue(native, OrderPlaced2, { customer, cents: total * 100 }, options));
      await native.query('commit');
      return version;
    });
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    await this.#writer.stop();
    await this.#database.close();
  }
}

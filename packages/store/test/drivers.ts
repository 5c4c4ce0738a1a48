/** Both database clients behind one face, so that a test of enqueue is written once. */
import type { AnyMessage, PayloadOf } from '@waybill/contracts';
import pg from 'pg';
import postgres from 'postgres';

import type { CreateOnceResult } from '../src/create-once/create-once.ts';
import type { CreateOnceRequest } from '../src/create-once/request.ts';
import { createOnce as pgCreateOnce, pgDatabase, inbox as pgInbox, outbox as pgOutbox } from '../src/drivers/pg.ts';
import {
  createOnce as postgresCreateOnce,
  postgresDatabase,
  inbox as postgresInbox,
  outbox as postgresOutbox,
} from '../src/drivers/postgres.ts';
import type { EnqueueOptions } from '../src/enqueue/options.ts';
import type { Enqueued, Outbox } from '../src/enqueue/outbox.ts';
import type { EnqueueEntry } from '../src/enqueue/prepare.ts';
import type { Database, Row } from '../src/executor.ts';
import type { InboxAnswer } from '../src/statements/inbox.ts';
import type { StoreOptions } from '../src/store.ts';

/** One open transaction. */
export interface Unit {
  enqueue<M extends AnyMessage>(message: M, payload: PayloadOf<M>, options?: EnqueueOptions): Promise<Enqueued>;
  enqueueMany(entries: readonly EnqueueEntry[]): Promise<readonly Enqueued[]>;
  inbox(consumer: string, messageId: string, options?: StoreOptions): Promise<InboxAnswer>;
  createOnce(request: CreateOnceRequest): Promise<CreateOnceResult>;
  query(text: string): Promise<readonly Row[]>;
  savepoint<T>(fn: (unit: Unit) => Promise<T>): Promise<T>;
}

export interface DriverUnderTest {
  readonly database: Database;
  /** Commits when `fn` resolves, rolls back when it rejects. */
  transaction<T>(
    fn: (unit: Unit) => Promise<T>,
    options?: { readonly schema?: string; readonly isolation?: string },
  ): Promise<T>;
  close(): Promise<void>;
}

export interface TestDriver {
  readonly driver: 'pg' | 'postgres';
  readonly connect: (url: string, options?: { readonly max?: number; readonly prepare?: boolean }) => DriverUnderTest;
}

export const DRIVERS: readonly TestDriver[] = [
  { driver: 'pg', connect: connectPool },
  { driver: 'postgres', connect: connectPostgres },
];

function connectPool(url: string, { max = 10 }: { readonly max?: number } = {}): DriverUnderTest {
  const pool = new pg.Pool({ connectionString: url, max });
  const database = pgDatabase(pool);
  return {
    database,
    transaction: (fn, { schema, isolation = 'read committed' } = {}) =>
      database.connection(async ({ native }) => {
        await native.query(`begin isolation level ${isolation}`);
        try {
          const result = await fn(unitOf(native, pgOutbox(schema === undefined ? {} : { schema })));
          await native.query('commit');
          return result;
        } catch (error) {
          await native.query('rollback');
          throw error;
        }
      }),
    close: () => pool.end(),
  };
}

function unitOf(client: pg.PoolClient, outbox: Outbox<pg.ClientBase>): Unit {
  return {
    enqueue: (message, payload, options) => outbox.enqueue(client, message, payload, options),
    enqueueMany: (entries) => outbox.enqueueMany(client, entries),
    createOnce: (request) => pgCreateOnce(client, request),
    inbox: (...entry) => pgInbox(client, ...entry),
    query: async (text) => (await client.query<Row>(text)).rows,
    async savepoint(fn) {
      await client.query('savepoint s');
      try {
        return await fn(unitOf(client, outbox));
      } catch (error) {
        await client.query('rollback to s');
        throw error;
      }
    },
  };
}

function connectPostgres(
  url: string,
  { max = 10, prepare = true }: { readonly max?: number; readonly prepare?: boolean } = {},
): DriverUnderTest {
  const sql = postgres(url, { max, prepare, onnotice: () => undefined });
  return {
    database: postgresDatabase(sql),
    async transaction(fn, { schema, isolation = 'read committed' } = {}) {
      const outbox = postgresOutbox(schema === undefined ? {} : { schema });
      let result: { readonly value: Awaited<ReturnType<typeof fn>> } | undefined;
      await sql.begin(`isolation level ${isolation}`, async (tx) => {
        result = { value: await fn(transactionOf(tx, outbox)) };
      });
      if (result === undefined) throw new Error('the transaction committed without its callback');
      return result.value;
    },
    close: () => sql.end(),
  };
}

function transactionOf(tx: postgres.TransactionSql, outbox: Outbox<postgres.TransactionSql>): Unit {
  return {
    enqueue: (message, payload, options) => outbox.enqueue(tx, message, payload, options),
    enqueueMany: (entries) => outbox.enqueueMany(tx, entries),
    createOnce: (request) => postgresCreateOnce(tx, request),
    inbox: (...entry) => postgresInbox(tx, ...entry),
    query: (text) => tx.unsafe<Row[]>(text),
    async savepoint(fn) {
      let result: { readonly value: Awaited<ReturnType<typeof fn>> } | undefined;
      await tx.savepoint(async (inner) => {
        result = { value: await fn(transactionOf(inner, outbox)) };
      });
      if (result === undefined) throw new Error('the savepoint was released without its callback');
      return result.value;
    },
  };
}

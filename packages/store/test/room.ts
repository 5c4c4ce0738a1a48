/** A store of one test file's own, with what the tests ask of it in one line. */
import { testDatabase } from '@waybill/local-postgres/vitest';
import { type ContractIds, registerContracts } from '../src/contracts.ts';
import { enqueueMany } from '../src/drivers/pg.ts';
import { entry } from '../src/enqueue/prepare.ts';
import type { Row, Value } from '../src/executor.ts';
import { openStore, type Store } from '../src/store.ts';
import { NoteTaken, ParcelMoved } from './messages.ts';
import { openSession, type Session } from './session.ts';
import { STRANDED } from './stranded.ts';
import { createWorker, type Worker, type WorkerOptions } from './worker.ts';

export const PARCEL = 'test.parcel-moved@2';
export const NOTE = 'test.note-taken@1';

export interface Room extends AsyncDisposable {
  readonly url: string;
  /** A session that stays outside of every transaction. */
  readonly observer: Session;
  readonly contracts: ContractIds;
  session(): Promise<Session>;
  store(session: Session): Store;
  /** Enqueues steps of one parcel, in the session's transaction if one is open, else in one of its own. */
  enqueue(session: Session, key: string, ...steps: readonly number[]): Promise<void>;
  worker(options?: Partial<WorkerOptions>): Promise<Worker>;
  query(text: string, values?: readonly Value[]): Promise<readonly Row[]>;
  /** Live rows of one parcel in order: position in the key and where it stands. */
  rows(key: string): Promise<readonly string[]>;
  /** Lets the lease of every head run out, in the database's own time. */
  expireLeases(): Promise<void>;
  /** Empties the tables and ends what the last test left open. */
  clear(): Promise<void>;
  /** The one number that must be 0: waiting rows that nobody will wake. */
  stranded(): Promise<number>;
}

export async function openRoom(): Promise<Room> {
  const database = await testDatabase();
  const sessions = sessionPool(database.url);
  const observer = await openSession(database.url);
  // A test that broke may leave a lock behind; what comes after it fails then, and does not hang. How long a statement works is its own affair.
  await observer.query(`set lock_timeout = '60s'`);
  const contracts = await registerContracts(
    openStore(observer),
    [ParcelMoved, NoteTaken].map(({ type, newest, kind }) => ({ type, version: newest, kind })),
    'test',
  );
  const query: Room['query'] = (text, values) => observer.query(text, values);

  return {
    url: database.url,
    observer,
    contracts,
    session: sessions.take,
    store: (given) => openStore(given),
    query,

    async enqueue(given, key, ...steps) {
      const own = given.native.getTransactionStatus() === 'I';
      if (own) await given.begin();
      await enqueueMany(
        given.native,
        steps.map((step) => entry(ParcelMoved, { id: key, step })),
      );
      if (own) await given.commit();
    },

    worker: async (options = {}) => createWorker(await sessions.take(), { contracts, ...options }),

    ...inspection(query),

    async clear() {
      await sessions.giveBack();
      // Faster than to truncate, for the few rows of a test. What operators did can only be truncated.
      await query(
        `delete from waybill.message; delete from waybill.delivery; delete from waybill.dispatched; delete from waybill.dead_letter;
         delete from waybill.dispatcher; truncate waybill.audit, waybill.replay, waybill.policy`,
      );
    },

    async [Symbol.asyncDispose]() {
      await sessions.close();
      await observer.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** What stands in the tables, in a form that a test can read. */
function inspection(query: Room['query']): Pick<Room, 'rows' | 'expireLeases' | 'stranded'> {
  return {
    async rows(key) {
      const rows = await query(
        `select coalesce(m.payload->>'step', '-') || ' ' || case when d.settled then 'tombstone' when d.lease_owner is not null then 'leased'
           when d.ready_xid is not null then 'ready' when d.due_at is not null then 'timed' else 'waiting' end as row
         from waybill.delivery d left join waybill.message m on m.seq = d.seq where d.record_key = $1 order by d.position`,
        [`Parcel/${key}`],
      );
      return rows.map((row) => String(row['row']));
    },

    async expireLeases() {
      await query(
        `update waybill.delivery set lease_expires_at = clock_timestamp() - interval '1 hour' where lease_owner is not null`,
      );
    },

    async stranded() {
      const [row] = await query(STRANDED);
      return Number(row?.['count']);
    },
  };
}

/** Sessions that one test after the other uses: a new one would have to plan every function again. */
function sessionPool(url: string): {
  readonly take: () => Promise<Session>;
  readonly giveBack: () => Promise<void>;
  readonly close: () => Promise<void>;
} {
  const idle: Session[] = [];
  const taken: Session[] = [];
  return {
    async take() {
      const session = idle.pop() ?? (await openSession(url));
      taken.push(session);
      return session;
    },
    async giveBack() {
      for (const session of taken.splice(0)) {
        if (session.native.getTransactionStatus() !== 'I') await session.rollback();
        await session.query('reset all');
        idle.push(session);
      }
    },
    async close() {
      await Promise.all([...idle, ...taken].map((session) => session.close()));
    },
  };
}

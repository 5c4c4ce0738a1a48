/** A store of one test file's own, with what the tests ask of it in one line. */
import { randomUUID } from 'node:crypto';
import { testDatabase } from '@waybill/local-postgres/vitest';
import type { Run } from '../src/claimed.ts';
import { type ClaimAnswer, type Claimer, createClaimer, type TypedRecord } from '../src/claimer.ts';
import { type ContractIds, registerContracts } from '../src/contracts.ts';
import { enqueueMany } from '../src/drivers/pg.ts';
import { entry } from '../src/enqueue/prepare.ts';
import type { Executor, Row, Value } from '../src/executor.ts';
import { type Next, type SettleResult, settle } from '../src/statements/settle.ts';
import { openStore, type Store } from '../src/store.ts';
import { NoteTaken, ParcelMoved } from './messages.ts';
import { openSession, type Session } from './session.ts';

export const PARCEL = 'test.parcel-moved@2';
export const NOTE = 'test.note-taken@1';

export interface Worker {
  readonly owner: string;
  readonly session: Session;
  readonly claimer: Claimer;
  claim(request?: {
    limit?: number;
    heads?: number;
    runLength?: number;
    timed?: boolean;
    asks?: readonly number[];
  }): Promise<ClaimAnswer>;
  /** Claims and gives the steps of each run, as `key:step,step`. */
  take(request?: Parameters<Worker['claim']>[0]): Promise<readonly string[]>;
  settle(run: Run, delivered?: number, next?: Next, executor?: Executor): Promise<SettleResult>;
}

export interface Room extends AsyncDisposable {
  readonly url: string;
  /** A session that stays outside of every transaction. */
  readonly observer: Session;
  readonly contracts: ContractIds;
  session(): Promise<Session>;
  store(session: Session): Store;
  /** Enqueues steps of one parcel, in the session's transaction if one is open, else in one of its own. */
  enqueue(session: Session, key: string, ...steps: readonly number[]): Promise<void>;
  worker(options?: { leaseMs?: number; fullScanMs?: number; contracts?: ContractIds }): Promise<Worker>;
  query(text: string, values?: readonly Value[]): Promise<readonly Row[]>;
  /** Live rows of one parcel in order: position in the key and where it stands. */
  rows(key: string): Promise<readonly string[]>;
  /** Lets the lease of every head run out, in the database's own time. */
  expireLeases(): Promise<void>;
  /** Empties the tables and closes every session that the last test opened. */
  clear(): Promise<void>;
  /** The one number that must be 0: waiting rows that nobody will wake. */
  stranded(): Promise<number>;
}

/** Nobody takes longer than this, unless the test says so. */
const LEASE_MS = 60_000;
/** Only floors may find work; a test that needs a full scan calls `forget`. */
const NEVER_MS = 1e12;

export async function openRoom(): Promise<Room> {
  const database = await testDatabase();
  const sessions: Session[] = [];
  const session = async (): Promise<Session> => {
    const opened = await openSession(database.url);
    sessions.push(opened);
    return opened;
  };
  const observer = await openSession(database.url);
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
    session,
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

    async worker({ leaseMs = LEASE_MS, fullScanMs = NEVER_MS, contracts: own = contracts } = {}) {
      const owner = randomUUID();
      const opened = await session();
      const store = openStore(opened);
      const claimer = createClaimer(store, {
        owner,
        contracts: own,
        leaseMs,
        fullScanMs,
        now: () => performance.now(),
      });
      const claim: Worker['claim'] = (request = {}) =>
        claimer.claim({ limit: 100, runLength: 50, timed: true, ...request });
      return {
        owner,
        session: opened,
        claimer,
        claim,
        take: async (request) => (await claim(request)).runs.map(describeRun),
        async settle(run, delivered = run.records.length, next = { then: 'release' }, executor = opened) {
          const positions = run.records.slice(0, delivered).map(({ position }) => position);
          const [result] = await settle(executor, store, owner, [
            { head: run.head, fence: run.fence, delivered: positions, next },
          ]);
          if (result === undefined) throw new Error('settle answered without a result');
          return result;
        },
      };
    },

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
      const [row] = await query(
        `select count(*)::integer as count from waybill.delivery d where ready_xid is null and due_at is null
           and not exists (select 1 from waybill.delivery o where o.record_key = d.record_key and o.position < d.position)`,
      );
      return Number(row?.['count']);
    },

    async clear() {
      await Promise.all(sessions.splice(0).map((opened) => opened.close()));
      await query(
        'truncate waybill.message, waybill.delivery, waybill.dispatched, waybill.dead_letter, waybill.dispatcher, waybill.audit, waybill.replay',
      );
    },

    async [Symbol.asyncDispose]() {
      await Promise.all([observer, ...sessions].map((opened) => opened.close()));
      await database[Symbol.asyncDispose]();
    },
  };
}

function describeRun(run: Run<TypedRecord>): string {
  const steps = run.records.map(({ payload }) => String((JSON.parse(payload) as { step?: number }).step ?? '-'));
  return `${run.recordKey.replace('Parcel/', '')}:${steps.join(',')}`;
}

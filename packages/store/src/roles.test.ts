/** Roles of least privilege: each does its work with the documented grants. What they may not: role-rights.test.ts. */
import { afterAll, afterEach, describe, expect, test } from 'vitest';

import { ANNA, drain, kill, killHeads } from '../test/dead.ts';
import { NoteTaken, ParcelMoved } from '../test/messages.ts';
import { openRoles } from '../test/roles.ts';
import { createWorker } from '../test/worker.ts';
import { registerContracts } from './contracts.ts';
import { enqueue, inbox } from './drivers/pg.ts';
import { checkSchema } from './migrate.ts';
import { auditWaiting } from './operators/audit-waiting.ts';
import { discard } from './operators/discard.ts';
import { readStoreHealth } from './operators/health.ts';
import { listRecords } from './operators/list.ts';
import { purge } from './operators/purge.ts';
import { readRecord } from './operators/record.ts';
import { replay } from './operators/replay.ts';
import { classifyStoreError } from './sql-errors.ts';
import { claimSuspect } from './statements/claim.ts';
import {
  drainDispatcher,
  leaveDispatcher,
  registerDispatcher,
  seeDispatcher,
} from './statements/dispatcher-registry.ts';
import { grantsSql } from './statements/grants.ts';
import { renew } from './statements/renew.ts';
import { sweep } from './statements/sweep.ts';
import { openStore } from './store.ts';
import { startWriter } from './writer/start-writer.ts';

const { superuser, sessions, names: ROLES, granted, close } = await openRoles();
const DENIED = { code: '42501' };
const CONTRACTS = [ParcelMoved, NoteTaken].map(({ type, newest, kind }) => ({ type, version: newest, kind }));

afterEach(async () => {
  for (const session of Object.values(sessions)) {
    if (session.native.getTransactionStatus() !== 'I') await session.rollback();
    await session.query('reset all; discard temp');
  }
  await superuser.query('delete from waybill.message; delete from waybill.delivery; delete from waybill.dead_letter');
});
afterAll(close);

async function enqueueParcel(step: number, options: { id?: string; isolation?: string } = {}) {
  const { producer } = sessions;
  if (producer.native.getTransactionStatus() === 'I') await producer.begin(options.isolation);
  const enqueued = await enqueue(producer.native, ParcelMoved, { id: 'k', step }, options.id ? { id: options.id } : {});
  await producer.commit();
  return enqueued;
}

describe('S08: the work of each role', () => {
  test('S08 S01: a producer enqueues, repeats itself and meets a conflict without a right on messages', async () => {
    const { id } = await enqueueParcel(1);
    expect(await enqueueParcel(1, { id, isolation: 'serializable' })).toMatchObject({ created: false });
    await expect(enqueueParcel(2, { id })).rejects.toMatchObject({ code: 'STO_ID_CONFLICT' });
    await sessions.producer.rollback();
    await enqueueParcel(2, { isolation: 'repeatable read' });
    const rows = await superuser.query(
      'select checked, ready_xid is not null as ready from waybill.delivery order by 1',
    );
    expect(rows, 'a snapshot writer is known as one').toEqual([
      { checked: false, ready: true },
      { checked: true, ready: true },
    ]);
  });

  test('S08 Q08: a producer registers as a writer', async () => {
    const writer = startWriter(openStore(sessions.producer), { build: 'shop@1', writes: [ParcelMoved, NoteTaken] });
    await writer.registered;
    expect(writer.id).not.toBeNull();
    await writer.stop();
    expect(await superuser.query('select left_at is not null as gone from waybill.writer')).toEqual([{ gone: true }]);
  });

  test('S08 W09: the proof of the transaction holds for a producer too', async () => {
    const { producer } = sessions;
    await producer.begin();
    const [, late] = await Promise.allSettled([producer.commit(), enqueue(producer.native, NoteTaken, { value: 1 })]);
    expect(late).toMatchObject({ status: 'rejected', reason: { code: 'STO_NOT_IN_TRANSACTION' } });
  });

  test('S08 W17: a consumer enters messages', async () => {
    await sessions.consumer.begin();
    expect(await inbox(sessions.consumer.native, 'billing', 'm1')).toBe('first');
    expect(await inbox(sessions.consumer.native, 'billing', 'm1')).toBe('repeat');
  });

  test('S08: a dispatcher lives its whole life', async () => {
    for (const step of [1, 2, 3, 4]) await enqueueParcel(step);
    const session = sessions.dispatcher;
    const store = openStore(session);
    expect(await checkSchema(store)).toEqual({ status: 'ready' });
    const contracts = await registerContracts(
      store,
      CONTRACTS.map((contract) => ({ ...contract, headPolicy: 'continue' as const })),
      'test',
    );
    const worker = createWorker(session, { contracts });
    const entry = { id: worker.owner, build: 'b', contractIds: [...contracts.values()] };
    await registerDispatcher(store, entry);
    const claimOne = async () => (await worker.claim({ runLength: 1 })).runs[0]!;
    const first = await claimOne();
    expect((await renew(session, store, { owner: worker.owner, leases: [first], leaseMs: 60_000 })).renewed.size).toBe(
      1,
    );
    await worker.settle(first, 0, { then: 'release' });
    await worker.settle(await claimOne());
    await worker.settle(await claimOne(), 0, { then: 'retry', error: 'away', delayMs: 0 });
    await kill(worker, await claimOne());
    await claimSuspect(session, store, { owner: worker.owner, leaseMs: 60_000, asks: entry.contractIds });
    await drain(worker);
    await sweep(session, store, { most: 10, retryMs: 0 });
    await auditWaiting(store);
    expect((await readStoreHealth(store)).tables).toHaveLength(4);
    expect((await seeDispatcher(store, { id: worker.owner })).registered).toBe(true);
    await drainDispatcher(store, worker.owner);
    await leaveDispatcher(store, worker.owner);
    const states = await superuser.query(
      `select state, count(*)::integer as n from waybill.record group by 1 order by 1`,
    );
    expect(states).toEqual([
      { state: 'dead-letter', n: 1 },
      { state: 'dispatched', n: 3 },
    ]);
  });

  test('S08: an operator reads, replays, discards and purges', async () => {
    const ids = [(await enqueueParcel(1)).id, (await enqueueParcel(2)).id];
    const contracts = await registerContracts(openStore(sessions.owner), CONTRACTS, 'test');
    const worker = createWorker(sessions.owner, { contracts });
    await killHeads(worker);
    await killHeads(worker);
    const store = openStore(sessions.operator);
    expect((await listRecords(store, { state: 'dead-letter' })).records).toHaveLength(2);
    expect(await replay(store, ids[0]!, ANNA)).toMatchObject({ status: 'replayed' });
    expect(await discard(store, ids[1]!, ANNA)).toMatchObject({ status: 'done' });
    expect(await readRecord(store, ids[0]!)).toBeTruthy();
    await auditWaiting(store);
    expect(
      await purge(store, {
        dispatchedOlderThanMs: 1,
        dead: { olderThanMs: 1, open: true, by: ANNA },
        inbox: { olderThanMs: 1 },
      }),
    ).toMatchObject({ dead: 1 });
  });
});

describe('F095 S08: odd surroundings of a producer', () => {
  test('F095: row level security of a business table holds beside an enqueue', async () => {
    const { producer } = sessions;
    await superuser.query(`create schema shop; create table shop.orders (id integer, tenant text);
      grant usage on schema shop to "${ROLES.producer}"; grant insert, select on shop.orders to "${ROLES.producer}";
      alter table shop.orders enable row level security;
      create policy own on shop.orders using (tenant = current_setting('app.tenant', true));
      alter table waybill.message enable row level security; alter table waybill.delivery enable row level security`);
    await producer.begin();
    await producer.query(`set local app.tenant = 'a'`);
    await producer.query(`insert into shop.orders values (1, 'a')`);
    await enqueueParcel(1);
    await producer.begin();
    await producer.query(`set local app.tenant = 'a'`);
    await enqueue(producer.native, ParcelMoved, { id: 'k', step: 2 });
    await expect(producer.query(`insert into shop.orders values (2, 'b')`)).rejects.toMatchObject(DENIED);
    await producer.rollback();
    await superuser.query(
      'alter table waybill.message disable row level security; alter table waybill.delivery disable row level security',
    );
    expect(await superuser.query('select 1 from waybill.message')).toHaveLength(1);
    expect(await superuser.query('select tenant from shop.orders')).toEqual([{ tenant: 'a' }]);
  });

  test('F095: a role without grants is told so, and the store counts as unavailable until they are there', async () => {
    await superuser.begin();
    await superuser.query('create role "Nobody"; set local role "Nobody"');
    const error: unknown = await enqueue(superuser.native, NoteTaken, { value: 1 }).catch((thrown: unknown) => thrown);
    expect([classifyStoreError(error), error]).toMatchObject(['unavailable', DENIED]);
    await superuser.rollback();
  });
});

describe('S08: the script', () => {
  test('S08: functions with rights of their owner have a pinned search path and are not public', async () => {
    const rows = await superuser.query(
      `select proname::text as name, array_to_string(proconfig, ';') like '%search_path=waybill, pg_temp%' as pinned,
         has_function_privilege('public', oid, 'execute') as public
       from pg_proc where pronamespace = 'waybill'::regnamespace and prosecdef order by 1`,
    );
    expect(rows).toEqual(
      ['enqueue', 'enqueue_one', 'inbox', 'position_state', 'repeats', 'version_standings'].map((name) => ({
        name,
        pinned: true,
        public: false,
      })),
    );
  });

  test('S08: it knows every table of the schema', async () => {
    const script = grantsSql('waybill', granted);
    const tables = await superuser.query(
      `select relname::text as name from pg_class where relnamespace = 'waybill'::regnamespace and relkind in ('r', 'v')`,
    );
    const unknown = tables.map((row) => String(row['name'])).filter((name) => !script.includes(`"waybill".${name} to`));
    expect(unknown, 'say in src/statements/grants.ts who may use them').toEqual([]);
  });

  test('S08 F056: it quotes every name, refuses impossible ones, and gives nothing to roles that are left out', () => {
    expect(grantsSql('a"b', { consumer: 'p"; drop' })).toBe(
      [
        'revoke all on schema "a""b" from public;',
        'revoke execute on all functions in schema "a""b" from public;',
        '-- consumer',
        'grant usage on schema "a""b" to "p""; drop";',
        'grant execute on function "a""b".inbox to "p""; drop";',
        '',
      ].join('\n'),
    );
    expect(() => grantsSql('waybill', { operator: '' })).toThrow(/operator: expected a name/);
  });
});

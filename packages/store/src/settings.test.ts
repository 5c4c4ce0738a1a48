/** Settings of a database or a role that reach into every session of the store. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, expect, test } from 'vitest';

import { DRIVERS } from '../test/drivers.ts';
import { ParcelMoved } from '../test/messages.ts';
import { openRoom } from '../test/room.ts';
import { createClaimer } from './claimer.ts';
import { connectPg } from './drivers/pg.ts';
import { classifyStoreError } from './sql-errors.ts';
import { openStore } from './store.ts';

const room = await openRoom();
const name = new URL(room.url).pathname.slice(1);
const set = (setting: string): Promise<unknown> => room.query(`alter database "${name}" set ${setting}`);
afterEach(async () => {
  await room.query(`alter database "${name}" reset all`);
  await room.clear();
});
afterAll(() => room[Symbol.asyncDispose]());

test.each([
  ['lock_timeout', 'transient', '55P03', 200],
  // Long enough for a claim that waits for nobody, also on a busy machine.
  ['statement_timeout', 'unavailable', '57014', 3_000],
] as const)(
  'S09 F068: a claim that %s ends is %s, leases nothing, and works when the way is free',
  async (setting, verdict, code, limitMs) => {
    await room.enqueue(await room.session(), 'k', 1);
    await set(`${setting} = '${String(limitMs)}ms'`);
    const blocker = await room.session();
    await blocker.begin();
    await blocker.query('lock table waybill.delivery');
    // Connections of the store bring a limit on statements of their own, which goes before the database's.
    const database = connectPg({
      url: room.url,
      max: 1,
      ...(setting === 'statement_timeout' && { statementTimeoutMs: limitMs }),
    });
    const claimer = createClaimer(openStore(database), {
      owner: randomUUID(),
      contracts: room.contracts,
      leaseMs: 60_000,
      now: () => 0,
    });
    const claim = () => claimer.claim({ limit: 1, runLength: 1, timed: true });
    const error: unknown = await claim().catch((thrown: unknown) => thrown);
    expect([classifyStoreError(error), error]).toMatchObject([verdict, { code }]);
    await blocker.rollback();
    expect(await room.rows('k')).toEqual(['1 ready']);
    expect((await claim()).runs[0]?.records[0]?.attempt).toBe(0);
    await database.close();
  },
);

test.each(DRIVERS)(
  'F080 S02: instants mean the same in every time zone and date style, on $driver',
  async ({ connect }) => {
    await set(`timezone = 'America/St_Johns'`);
    await set(`datestyle = 'SQL, DMY'`);
    await set(`intervalstyle = 'sql_standard'`);
    const driver = connect(room.url);
    // A day on which the clocks of that zone are put back.
    const dueAt = new Date('2099-11-01T04:59:59.123Z');
    const occurredAt = new Date('2026-03-08T05:30:00.456Z');
    await driver.transaction((unit) => unit.enqueue(ParcelMoved, { id: 'k', step: 1 }, { dueAt, occurredAt }));
    const [row] = await driver.database.query(
      `select (extract(epoch from next_attempt_at) * 1000)::bigint::text as due, (extract(epoch from occurred_at) * 1000)::bigint::text as occurred from waybill.record`,
    );
    expect(row).toEqual({ due: String(dueAt.getTime()), occurred: String(occurredAt.getTime()) });
    await driver.close();
  },
);

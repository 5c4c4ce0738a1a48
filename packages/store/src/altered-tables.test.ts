/** Tables that change, and numbers that grow large, under sessions that stay. */
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';

import { DRIVERS } from '../test/drivers.ts';
import { ParcelMoved } from '../test/messages.ts';
import { openRoom } from '../test/room.ts';
import { createClaimer } from './claimer.ts';
import { listRecords } from './operators/list.ts';
import { readRecord } from './operators/record.ts';
import { readSignals } from './operators/signals.ts';
import { renew } from './statements/renew.ts';
import { settle } from './statements/settle.ts';
import { openStore } from './store.ts';

const room = await openRoom();
afterAll(() => room[Symbol.asyncDispose]());

/** One session that enqueues, claims, renews, settles and reads; what it gives is the payload that went round. */
function openRound(connect: (typeof DRIVERS)[number]['connect']) {
  const driver = connect(room.url, { max: 1 });
  const store = openStore(driver.database);
  const owner = randomUUID();
  const claimer = createClaimer(store, { owner, contracts: room.contracts, leaseMs: 60_000, now: () => 0 });
  return {
    close: () => driver.close(),
    transaction: (...work: Parameters<typeof driver.transaction>) => driver.transaction(...work),
    async go(key: string): Promise<string | undefined> {
      await driver.transaction((unit) => unit.enqueue(ParcelMoved, { id: key, step: 1 }));
      const { runs } = await claimer.claim({ limit: 10, runLength: 10, timed: true });
      const [run] = runs;
      if (run === undefined) return undefined;
      await renew(driver.database, store, { owner, leases: runs, leaseMs: 60_000 });
      const delivered = run.records.map(({ position }) => position);
      const settlement = { head: run.head, fence: run.fence, delivered, next: { then: 'release' } } as const;
      expect(await settle(driver.database, store, owner, [settlement])).toMatchObject([{ status: 'settled' }]);
      await readRecord(store, run.records[0]!.id);
      await listRecords(store, {});
      await readSignals(store);
      return run.records[0]?.payload;
    },
  };
}

const payload = (id: string): string => JSON.stringify({ id, step: 1 });

test.each(DRIVERS)(
  'F077: sessions of $driver with plans and prepared statements outlive a change of the tables',
  async ({ driver, connect }) => {
    const round = openRound(connect);
    // Often enough for every plan to be kept that may be.
    for (let turn = 0; turn < 8; turn += 1) expect(await round.go(`before-${turn}`)).toBe(payload(`before-${turn}`));
    for (const table of ['message', 'delivery', 'contract', 'dispatched', 'dead_letter', 'dispatcher'])
      await room.query(`alter table waybill.${table} add column later_${driver} text default 'x'`);
    for (let turn = 0; turn < 8; turn += 1) expect(await round.go(`after-${turn}`)).toBe(payload(`after-${turn}`));

    // And inside of a transaction of the caller, where nothing could be tried again.
    await round.transaction(async (unit) => {
      await unit.enqueue(ParcelMoved, { id: 'inside', step: 1 });
      await unit.query(`alter table waybill.message alter column later_${driver} type varchar(99)`);
      await unit.enqueue(ParcelMoved, { id: 'inside', step: 2 });
    });
    expect(await room.rows('inside')).toEqual(['1 ready', '2 waiting']);
    await round.close();
    await room.clear();
  },
);

test.each(DRIVERS)(
  'F098 F037: positions beyond what a number of JavaScript can hold go round on $driver',
  async ({ connect }) => {
    const round = openRound(connect);
    for (const position of ['2147483646', '9007199254740990', '9007199254740993', '9223372036854770000']) {
      await room.query('select setval($1, $2::bigint)', ['waybill.position_seq', position]);
      for (let turn = 0; turn < 3; turn += 1)
        expect(await round.go(`at-${position}-${turn}`)).toBe(payload(`at-${position}-${turn}`));
    }
    await round.close();
    await room.clear();
    await room.query('select setval($1, 1)', ['waybill.position_seq']);
  },
);

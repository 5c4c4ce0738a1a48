/** What an old snapshot, which keeps every dead row from vacuum, does to the cost of claims and renewals. */
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';

import { ParcelMoved } from '../test/messages.ts';
import { explain } from '../test/plans.ts';
import { openRoom } from '../test/room.ts';
import type { Session } from '../test/session.ts';
import type { Worker } from '../test/worker.ts';
import { enqueueMany } from './drivers/pg.ts';
import { entry } from './enqueue/prepare.ts';
import { renew } from './statements/renew.ts';

const BATCH = 50;
/** A claim that walked what is dead by then would touch many times the pages of the first one. */
const BATCHES = 60;

const room = await openRoom();
let writer: Session;
let worker: Worker;
beforeEach(async () => {
  [writer, worker] = [await room.session(), await room.worker()];
});
afterEach(() => room.clear());
afterAll(() => room[Symbol.asyncDispose]());

async function fill(key: (n: number) => string): Promise<void> {
  await writer.begin();
  await enqueueMany(
    writer.native,
    Array.from({ length: BATCH }, (_, n) => entry(ParcelMoved, { id: key(n), step: n })),
  );
  await writer.commit();
}

/** Delivers one batch. Gives how many pages its claim touched. */
async function pushThrough(): Promise<number> {
  let delivered = 0;
  let blocks = 0;
  while (delivered < BATCH) {
    const facts = await explain(worker.session, async () => {
      const { runs } = await worker.claim({ limit: BATCH, runLength: BATCH, timed: false });
      for (const run of runs) delivered += run.records.length;
      for (const run of runs) await worker.settle(run);
    });
    blocks += facts.blocks;
  }
  return blocks;
}

test.each([
  ['a key each', (batch: number) => (n: number) => `${String(batch)}-${String(n)}`],
  ['one hot key', () => () => 'hot'],
])(
  'F066 Q23: under a snapshot that is held for long, a claim of %s costs as much at the end as at the start',
  async (_what, keyOf) => {
    const reader = await room.session();
    await reader.begin('repeatable read');
    await reader.query('select 1 from waybill.delivery');
    const blocks: number[] = [];
    for (let batch = 0; batch < BATCHES; batch += 1) {
      await fill(keyOf(batch));
      blocks.push(await pushThrough());
    }
    const total = (from: number): number => blocks.slice(from, from + 10).reduce((sum, one) => sum + one, 0);
    // The plans of the first ones are made while the tables are empty.
    expect(total(BATCHES - 10)).toBeLessThan(2 * total(10));
  },
);

test('F066: renewals hardly ever change an index', async () => {
  // It would look at the tables with a snapshot of its own, which keeps old versions of rows on their pages for that long.
  for (const table of ['message', 'delivery'])
    await room.query(`alter table waybill.${table} set (autovacuum_enabled = off)`);
  await fill((n) => String(n));
  await room.query('vacuum waybill.delivery');
  const { runs } = await worker.claim({ limit: BATCH });
  // What this session has counted and not yet reported is among it.
  const updates = async (): Promise<readonly number[]> =>
    (
      await worker.session.query(
        `select n_tup_upd::integer as updated, n_tup_hot_upd::integer as hot from pg_stat_xact_user_tables where relid = 'waybill.delivery'::regclass`,
      )
    ).flatMap((row) => [Number(row['updated']), Number(row['hot'])]);
  await worker.session.begin();
  const [before, hotBefore] = await updates();
  const { renewed } = await renew(worker.session, room.store(worker.session), {
    owner: worker.owner,
    leases: runs,
    leaseMs: 60_000,
  });
  expect(renewed.size).toBe(BATCH);
  const [after, hotAfter] = await updates();
  await worker.session.rollback();
  expect(after! - before!).toBe(BATCH);
  // How rows share out among pages may leave one of them without room.
  expect(hotAfter! - hotBefore!).toBeGreaterThan(0.9 * BATCH);
});

/** What the statements read of a large table, with plans that were cached while it was empty. */
import { afterAll, afterEach, describe, expect, test } from 'vitest';

import { explain } from '../../test/plans.ts';
import { NOTE, openRoom, PARCEL } from '../../test/room.ts';
import type { Worker } from '../../test/worker.ts';
import { renew } from './renew.ts';
import { sweep } from './sweep.ts';

/** Far more than any step may read; ten thousand at least. */
const ROWS = Number(process.env['WAYBILL_PLAN_ROWS'] ?? 30_000);
/** A key as deep as fits twice as many keys as a claim takes. */
const DEEP = ROWS / 200;
const WINDOW = 100;
/** A generic plan is cached after five custom ones. */
const WARM_UP = 7;

const room = await openRoom();
const contract = room.contracts.get(PARCEL)!;
let worker: Worker;

/** Rows of one shape, written past enqueue for speed; `key` and `state` are SQL over n, from 1 on. */
async function fill(key: string, state: string): Promise<void> {
  await room.query(
    `insert into waybill.delivery (position, seq, contract_id, record_key, ready_xid, due_at)
     select p, p, ${String(contract)}, key, case when state = 'ready' then pg_current_xact_id() end,
       case state when 'due' then clock_timestamp() when 'future' then clock_timestamp() + n * interval '1 second' end
     from (select n, nextval('waybill.position_seq') as p, ${key} as key, ${state} as state from generate_series(1, ${String(ROWS)}) n order by n) s`,
  );
  await room.query(
    `insert into waybill.message (seq, id, contract_id, occurred_at, record_key, payload)
     select position, gen_random_uuid(), contract_id, clock_timestamp(), record_key, '{}' from waybill.delivery order by ready_xid, due_at, position limit 5000`,
  );
}

/** Lets the session of the worker make its plans while the tables hold next to nothing. */
async function warmUp(statistics: string): Promise<void> {
  worker = await room.worker();
  await fewLives();
  if (statistics === 'none') return;
  // A page without a live row counts as empty, and so does every page that comes after it. Autovacuum looks at any time.
  await room.query('analyze waybill.delivery, waybill.message');
  await fewLives();
}

async function fewLives(): Promise<void> {
  for (let n = 0; n < WARM_UP; n += 1) {
    await room.enqueue(worker.session, 'warm', 1);
    for (const run of (await worker.claim()).runs) await worker.settle(run);
  }
}

afterEach(async () => {
  await room.query('truncate waybill.delivery, waybill.message');
  await room.clear();
});
afterAll(() => room[Symbol.asyncDispose]());

const HEADS_OF = (depth: number): string => `case when n % ${String(depth)} = 1 then 'ready' else 'waiting' end`;

describe.each([
  { shape: 'many keys of 25', key: `'Parcel/' || (n - 1) / 25`, state: HEADS_OF(25), heads: WINDOW },
  {
    shape: '200 deep keys',
    key: `'Parcel/' || (n - 1) / ${String(DEEP)}`,
    state: HEADS_OF(DEEP),
    heads: WINDOW,
  },
  { shape: 'one key of all', key: `'Parcel/0'`, state: `case when n = 1 then 'ready' else 'waiting' end`, heads: 1 },
  { shape: 'no keys', key: `''`, state: `'ready'`, heads: WINDOW },
  {
    shape: '100 due behind which all others are in the future',
    key: `''`,
    state: `case when n <= 100 then 'due' else 'future' end`,
    heads: WINDOW / 4,
  },
])('Q22 F011: $shape', ({ key, state, heads }) => {
  test.each(['none', 'of a drained outbox'])(
    'Q22 F011 I09: claim, renewal, settlement, enqueue and sweep go by indexes, and read what they take (statistics: %s)',
    async (statistics) => {
      await warmUp(statistics);
      await fill(key, state);
      const store = room.store(worker.session);
      const claim = () => worker.claim({ limit: WINDOW, runLength: 10 });
      const { runs } = await claim();
      expect(runs).toHaveLength(heads);
      for (const run of runs) await worker.settle(run, 0, { then: 'release' });

      const claiming = await explain(worker.session, async () => {
        expect((await claim()).runs.length).toBeGreaterThanOrEqual(heads);
      });
      // A pause is a rare thing, so its table has a handful of rows; PostgreSQL before 16 sorts them rather than reading them in order.
      expect(claiming.otherScans.filter((scan) => scan !== 'Seq Scan on pause')).toEqual([]);
      // Each record taken is read a few times: to find it, to lock it, to look for its run.
      expect(claiming.deliveriesRead).toBeLessThan(5 * WINDOW);
      expect(claiming.messagesRead).toBeLessThanOrEqual(WINDOW);

      await room.expireLeases();
      worker.claimer.forget();
      const again = (await claim()).runs;
      const steps: Readonly<Record<string, () => Promise<unknown>>> = {
        renew: () => renew(worker.session, store, { owner: worker.owner, leases: again, leaseMs: 60_000 }),
        settle: () => worker.settle(again[0]!),
        retry: () => worker.settle(again.at(-1)!, 0, { then: 'retry', delayMs: 1_000, error: 'later' }),
        enqueue: () => room.enqueue(worker.session, '0', 1, 2, 3),
        'enqueue of one': () => room.enqueue(worker.session, '0', 4),
        sweep: () => sweep(worker.session, store, { most: WINDOW, retryMs: 20 }),
      };
      for (const [step, run] of Object.entries(steps)) {
        const facts = await explain(worker.session, run);
        expect(facts.otherScans, step).toEqual([]);
        expect(facts.deliveriesRead, step).toBeLessThan(10 * WINDOW);
        expect(facts.messagesRead, step).toBeLessThan(WINDOW);
      }
    },
  );
});

test('V01 F011: 100,000 records that a dispatcher cannot read cost its claims nothing', async () => {
  const note = room.contracts.get(NOTE)!;
  const readable = [contract];
  const costOfClaim = async (): Promise<number> => {
    await room.enqueue(worker.session, 'a', 1, 2, 3);
    worker.claimer.forget();
    const facts = await explain(worker.session, async () => {
      const { runs } = await worker.claim({ asks: readable });
      expect(runs.map(({ records }) => records.length)).toEqual([3]);
      for (const run of runs) await worker.settle(run);
    });
    expect(facts.otherScans).toEqual([]);
    return facts.deliveriesRead;
  };
  const alone = await costOfClaim();
  await room.query(
    `insert into waybill.delivery (position, seq, contract_id, record_key, ready_xid)
     select p, p, ${String(note)}, '', pg_current_xact_id() from (select nextval('waybill.position_seq') as p from generate_series(1, 100000)) s`,
  );
  expect(await costOfClaim()).toBe(alone);
});

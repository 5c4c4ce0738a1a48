import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';

import { ANNA, BEN, drain, idOf, kill, killHeads, states } from '../../test/dead.ts';
import { openRoom } from '../../test/room.ts';
import { untilBlocked } from '../../test/session.ts';
import type { Worker } from '../../test/worker.ts';
import { registerContracts } from '../contracts.ts';
import { registerDispatcher } from '../statements/dispatcher-registry.ts';
import { sweep } from '../statements/sweep.ts';
import type { AuditEntry } from './audit.ts';
import { auditWaiting } from './audit-waiting.ts';
import { discard } from './discard.ts';
import { replay } from './replay.ts';
import { previewReplay } from './replay-preview.ts';

const room = await openRoom();
afterAll(() => room[Symbol.asyncDispose]());

async function setPolicy(headPolicy: 'continue' | 'hold'): Promise<void> {
  await registerContracts(
    room.store(room.observer),
    [{ type: 'test.parcel-moved', version: 2, kind: 'integration-event', headPolicy }],
    'test',
  );
}

let worker: Worker;
const store = room.store(room.observer);
beforeEach(async () => {
  worker = await room.worker();
  await registerDispatcher(store, { id: worker.owner, build: 'test', contractIds: [...room.contracts.values()] });
});
afterEach(async () => {
  expect(await auditWaiting(store), 'I03: nobody waits behind nobody').toMatchObject({ waiting: 0, orphaned: 0 });
  await setPolicy('continue');
  await room.clear();
});

const sweepAll = (): Promise<number> => sweep(room.observer, store, { most: 100, retryMs: 0 });
const rowsOf = async (table: string): Promise<readonly unknown[]> =>
  room.query(`select * from waybill.${table} order by id`);

describe('a dead head', () => {
  test('F020 S10: under continue the key goes on', async () => {
    await room.enqueue(room.observer, 'k', 1, 2, 3);
    const { runs } = await worker.claim();
    await kill(worker, runs[0]!);
    expect(await states(room, 'k')).toEqual(['1 dead-letter', '2 pending ready', '3 pending behind']);
    expect(await drain(worker)).toEqual(['k:2', 'k:3']);
  });

  test('F020 S10 finding 12: under hold the key waits until a replay, which takes the old place', async () => {
    await setPolicy('hold');
    await room.enqueue(room.observer, 'k', 1, 2, 3);
    const { runs } = await worker.claim();
    await kill(worker, runs[0]!);
    expect(await states(room, 'k')).toEqual(['1 dead-letter', '2 pending held', '3 pending held']);
    await room.enqueue(room.observer, 'k', 4);
    await sweepAll();
    expect(await drain(worker), 'nothing of a held key is claimed').toEqual([]);
    expect(await room.rows('k')).toEqual(['1 tombstone', '2 waiting', '3 waiting', '4 waiting']);

    expect(await replay(store, await idOf(room, 'k', 1), ANNA)).toMatchObject({ status: 'replayed', place: 'held' });
    expect(await states(room, 'k')).toEqual([
      '1 pending ready',
      '2 pending behind',
      '3 pending behind',
      '4 pending behind',
    ]);
    expect(await drain(worker)).toEqual(['k:1', 'k:2', 'k:3', 'k:4']);
  });

  test('F020 S10: under hold a discard lets the key go on', async () => {
    await setPolicy('hold');
    await room.enqueue(room.observer, 'k', 1, 2);
    await killHeads(worker);
    expect(await discard(store, await idOf(room, 'k', 1), ANNA)).toMatchObject({ status: 'done' });
    expect(await sweepAll()).toBe(1);
    expect(await drain(worker)).toEqual(['k:2']);
    expect(await states(room, 'k')).toEqual(['1 dead-letter', '2 dispatched']);
  });

  test('S10: a message in the middle of a run is held with its fence, and what came before stays delivered', async () => {
    await setPolicy('hold');
    await room.enqueue(room.observer, 'k', 1, 2, 3);
    const { runs } = await worker.claim();
    await kill(worker, runs[0]!, { delivered: 1 });
    expect(await room.rows('k')).toEqual(['2 tombstone', '3 waiting']);
    await replay(store, await idOf(room, 'k', 2), ANNA);
    const again = await worker.claim();
    expect(BigInt(again.runs[0]!.fence)).toBeGreaterThan(BigInt(runs[0]!.fence));
  });

  test('S10: hold means nothing without a key', async () => {
    await setPolicy('hold');
    await room.query(`update waybill.contract set head_policy = 'hold'`);
    await room.query(
      `select * from waybill.enqueue('[{"type": "test.note-taken", "version": 1, "payload": {"value": 1}}]')`,
    );
    const [id] = await killHeads(worker);
    await room.query(`update waybill.contract set head_policy = 'continue'`);
    expect(await room.query('select * from waybill.delivery')).toEqual([]);
    expect(await replay(store, id!, ANNA)).toMatchObject({ status: 'replayed', place: 'ready' });
  });

  test('S10 finding 12: a change from hold to continue releases what is held', async () => {
    await setPolicy('hold');
    await room.enqueue(room.observer, 'k', 1, 2);
    await killHeads(worker);
    await setPolicy('continue');
    expect(await sweepAll()).toBe(1);
    expect(await drain(worker)).toEqual(['k:2']);
  });

  test('S10: a settlement that is under way keeps the policy from changing behind it', async () => {
    await setPolicy('hold');
    await room.enqueue(room.observer, 'k', 1, 2);
    const { runs } = await worker.claim();
    await worker.session.begin();
    await kill(worker, runs[0]!);
    const changer = await room.session();
    const change = registerContracts(
      room.store(changer),
      [{ type: 'test.parcel-moved', version: 2, kind: 'integration-event', headPolicy: 'continue' }],
      'test',
    );
    await untilBlocked(room.observer, changer, change);
    await worker.session.commit();
    await change;
    expect(await sweepAll(), 'the tombstone that it had not seen at first').toBe(1);
    expect(await drain(worker)).toEqual(['k:2']);
  });
});

describe('replay', () => {
  test('W30 W31 F024: the same message again, with a fresh budget, its history kept, and once more', async () => {
    await room.enqueue(room.observer, 'k', 1);
    const id = await idOf(room, 'k', 1);
    const whole = `select id, kind, type, schema_version, occurred_at, enqueued_at, tenant, record_key, event, headers::text, payload::text from waybill.record`;
    const before = await room.query(whole);
    for (const round of [1, 2]) {
      const { runs } = await worker.claim();
      const [record] = runs[0]!.records;
      expect(record, 'attempts start from zero').toMatchObject({
        id,
        type: 'test.parcel-moved',
        version: 2,
        recordKey: 'Parcel/k',
        attempt: 0,
      });
      await kill(worker, runs[0]!, { reason: 'attempts-exhausted' });
      expect(await replay(store, id, ANNA)).toEqual({
        status: 'replayed',
        id,
        deadLetter: expect.any(String),
        place: 'ready',
      });
      expect(await rowsOf('dead_letter')).toHaveLength(round);
      expect(await states(room, 'k')).toEqual(['1 pending ready']);
    }
    expect(await room.query(whole)).toEqual(before);
    expect(await drain(worker)).toEqual(['k:1']);
    expect(await states(room, 'k')).toEqual(['1 dispatched']);
    expect(await rowsOf('replay')).toHaveLength(2);
    expect(await rowsOf('audit')).toMatchObject([
      {
        actor: ANNA.actor,
        action: 'replay',
        reason: ANNA.reason,
        what: { messages: [id] },
        before: [{ reason: 'attempts-exhausted', attempt: 1 }],
      },
      { actor: ANNA.actor },
    ]);
  });

  test('F024: a replayed message goes to the end of its key, behind what lives', async () => {
    await room.enqueue(room.observer, 'k', 1, 2, 3);
    const { runs } = await worker.claim();
    await kill(worker, runs[0]!);
    expect(await replay(store, await idOf(room, 'k', 1), ANNA)).toMatchObject({ place: 'waiting' });
    expect(await states(room, 'k')).toEqual(['1 pending behind', '2 pending ready', '3 pending behind']);
    expect(await drain(worker)).toEqual(['k:2', 'k:3', 'k:1']);
  });

  test('F023: two operators at once give one replay', async () => {
    await room.enqueue(room.observer, 'k', 1);
    const [id] = await killHeads(worker);
    const first = await room.session();
    const second = await room.session();
    await first.begin();
    await first.query(`select * from waybill.replay(array(select id from waybill.dead_letter), true)`);
    const late = replay(room.store(second), id!, BEN);
    await untilBlocked(room.observer, second, late);
    await first.commit();
    expect(await late).toEqual({ status: 'not-dead', state: 'pending' });
    expect(await rowsOf('audit')).toEqual([]);
    expect(await drain(worker)).toEqual(['k:1']);
  });

  test('F023: ten calls at once give one replay and nine refusals', async () => {
    await room.enqueue(room.observer, 'k', 1);
    const [id] = await killHeads(worker);
    const sessions = await Promise.all(Array.from({ length: 10 }, () => room.session()));
    const results = await Promise.all(sessions.map((session) => replay(room.store(session), id!, BEN)));
    expect(results.map(({ status }) => status).sort()).toEqual([...Array<string>(9).fill('not-dead'), 'replayed']);
    expect(await rowsOf('replay')).toHaveLength(1);
  });

  test('F023: what is not dead is not replayed', async () => {
    await room.enqueue(room.observer, 'k', 1);
    const id = await idOf(room, 'k', 1);
    expect(await replay(store, id, ANNA)).toEqual({ status: 'not-dead', state: 'pending' });
    const { runs } = await worker.claim();
    expect(await replay(store, id, ANNA)).toEqual({ status: 'not-dead', state: 'processing' });
    await worker.settle(runs[0]!);
    expect(await replay(store, id, ANNA)).toEqual({ status: 'not-dead', state: 'dispatched' });
    expect(await replay(store, '00000000-0000-7000-8000-000000000000', ANNA)).toEqual({ status: 'not-found' });
    expect(await replay(store, 'no uuid', ANNA)).toEqual({ status: 'not-found' });
  });

  test('O03: a discarded message is not replayed, nor discarded again', async () => {
    await room.enqueue(room.observer, 'k', 1);
    const [id] = await killHeads(worker);
    await discard(store, id!, ANNA);
    expect(await replay(store, id!, BEN)).toMatchObject({ status: 'discarded', by: ANNA.actor });
    expect(await discard(store, id!, BEN)).toMatchObject({ status: 'discarded', by: ANNA.actor });
    expect(await rowsOf('audit')).toMatchObject([{ action: 'discard', actor: ANNA.actor }]);
  });

  test('I03: a replay waits for a writer of its key and takes its place behind it', async () => {
    await room.enqueue(room.observer, 'k', 1);
    const [id] = await killHeads(worker);
    const writer = await room.session();
    const operator = await room.session();
    await writer.begin();
    await room.enqueue(writer, 'k', 2);
    const replayed = replay(room.store(operator), id!, ANNA);
    await untilBlocked(room.observer, operator, replayed);
    await writer.commit();
    expect(await replayed).toMatchObject({ place: 'waiting' });
    expect(await drain(worker)).toEqual(['k:2', 'k:1']);
  });

  test('I03: a settlement that ends while a replay is under way leaves the key in order', async () => {
    await room.enqueue(room.observer, 'k', 1, 2);
    await killHeads(worker);
    const { runs } = await worker.claim();
    const operator = await room.session();
    await operator.begin();
    await operator.query(`select * from waybill.replay(array(select id from waybill.dead_letter), true)`);
    await worker.settle(runs[0]!);
    await operator.commit();
    expect(await room.rows('k')).toEqual(['2 tombstone', '1 waiting']);
    await sweepAll();
    expect(await drain(worker)).toEqual(['k:1']);
  });

  test('S10: replay of a held key and a sweep after a change of policy: one of them has it', async () => {
    await setPolicy('hold');
    await room.enqueue(room.observer, 'k', 1, 2);
    const [id] = await killHeads(worker);
    await setPolicy('continue');
    const sweeper = await room.session();
    const operator = await room.session();
    await sweeper.begin();
    expect(await sweep(sweeper, store, { most: 1, retryMs: 0 })).toBe(1);
    const replayed = replay(room.store(operator), id!, ANNA);
    await untilBlocked(room.observer, operator, replayed);
    await sweeper.commit();
    expect(await replayed).toMatchObject({ place: 'waiting' });
    expect(await drain(worker)).toEqual(['k:2', 'k:1']);
  });

  test('I03: replay refuses a stale snapshot', async () => {
    await room.observer.begin('repeatable read');
    await expect(room.query(`select * from waybill.replay('{1}', true)`)).rejects.toMatchObject({ code: 'WB003' });
    await room.observer.rollback();
  });
});

describe('the audit', () => {
  test.each(['audit', 'replay'])('F045 W31: without its row in %s there is no replay', async (table) => {
    await room.enqueue(room.observer, 'k', 1);
    const [id] = await killHeads(worker);
    await room.query(`alter table waybill.${table} add constraint none check (false) not valid`);
    await expect(replay(store, id!, ANNA)).rejects.toMatchObject({ code: '23514' });
    await room.query(`alter table waybill.${table} drop constraint none`);
    expect(await states(room, 'k')).toEqual(['1 dead-letter']);
    expect(await room.query('select * from waybill.delivery')).toEqual([]);
  });

  test('F045 O03: who and why are required, and bounded', async () => {
    const by = [
      { actor: '', reason: 'r' },
      { actor: 'a', reason: ' ' },
      { actor: 'a'.repeat(257), reason: 'r' },
      { actor: 'a\0', reason: 'r' },
    ];
    for (const operator of by) {
      await expect(replay(store, 'any', operator)).rejects.toMatchObject({ code: 'STO_INVALID_OPTION' });
      await expect(discard(store, 'any', operator)).rejects.toMatchObject({ code: 'STO_INVALID_OPTION' });
    }
  });

  test('F045: it is only ever added to', async () => {
    await room.enqueue(room.observer, 'k', 1);
    const [id] = await killHeads(worker);
    await replay(store, id!, ANNA);
    for (const change of [
      'update waybill.audit set actor = $$x$$',
      'delete from waybill.audit',
      'update waybill.replay set seq = 1',
      'delete from waybill.replay',
    ]) {
      await expect(room.query(change)).rejects.toMatchObject({ code: 'WB011' });
    }
  });

  test('W31: a sink takes the place of the tables, in the same transaction', async () => {
    await room.enqueue(room.observer, 'k', 1);
    const [id] = await killHeads(worker);
    const entries: AuditEntry[] = [];
    const failing = replay(store, id!, ANNA, { audit: () => Promise.reject(new Error('the sink is full')) });
    await expect(failing).rejects.toThrow('the sink is full');
    expect(await states(room, 'k')).toEqual(['1 dead-letter']);

    await replay(store, id!, ANNA, {
      audit: async (tx, entry) => {
        expect(await tx.query('select 1 from waybill.delivery'), 'it sees what it is told of').toHaveLength(1);
        entries.push(entry);
      },
    });
    expect(entries).toMatchObject([
      { ...ANNA, action: 'replay', what: { messages: [id] }, before: [{ error: 'refused by test' }] },
    ]);
    expect([await rowsOf('audit'), await rowsOf('replay')]).toEqual([[], []]);
  });
});

describe('the preview', () => {
  test('O03: says what was delivered of the key since', async () => {
    await room.enqueue(room.observer, 'k', 1, 2, 3, 4);
    await room.enqueue(room.observer, 'other', 1);
    await killHeads(worker);
    await room.query(`delete from waybill.dead_letter where seq = (select max(seq) from waybill.message)`);
    const id = await idOf(room, 'k', 1);
    expect(await previewReplay(store, id)).toMatchObject({
      status: 'replayable',
      deliveredSince: { count: 0, newest: null, contracts: [] },
    });
    await drain(worker);
    expect(await previewReplay(store, id)).toMatchObject({
      status: 'replayable',
      subject: { id, type: 'test.parcel-moved', version: 2 },
      deliveredSince: {
        count: 3,
        capped: false,
        newest: { id: await idOf(room, 'k', 4), version: 2 },
        contracts: ['test.parcel-moved@2'],
      },
    });
    expect(await previewReplay(store, await idOf(room, 'k', 2))).toEqual({ status: 'not-dead', state: 'dispatched' });
  });

  test('O03: counts an older message that was replayed behind it', async () => {
    await room.enqueue(room.observer, 'k', 1, 2);
    await killHeads(worker);
    await killHeads(worker);
    await replay(store, await idOf(room, 'k', 1), ANNA);
    await drain(worker);
    expect(await previewReplay(store, await idOf(room, 'k', 2))).toMatchObject({
      deliveredSince: { count: 1, newest: { id: await idOf(room, 'k', 1) } },
    });
  });
});

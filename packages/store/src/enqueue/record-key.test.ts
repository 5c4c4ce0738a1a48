import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';

import { DRIVERS } from '../../test/drivers.ts';
import { ParcelMoved } from '../../test/messages.ts';
import { openRoom } from '../../test/room.ts';
import { type Session, untilBlocked } from '../../test/session.ts';
import { entry } from './prepare.ts';

const room = await openRoom();
let writer: Session;
beforeEach(async () => {
  writer = await room.session();
});
afterEach(() => room.clear());
afterAll(() => room[Symbol.asyncDispose]());

const LOOKALIKES = [
  'a',
  'A',
  'a ',
  ' a',
  'é',
  'e\u0301',
  'a\u200b',
  '0',
  '00',
  '__proto__',
  'constructor',
  'toString',
  'a/b',
  "a'b",
  'a"b',
  'a\\b',
  '%',
  '💥',
];

test('F058 Q06: keys that look equal are different keys, each with its own order', async () => {
  await writer.begin();
  for (const step of [1, 2]) for (const key of LOOKALIKES) await room.enqueue(writer, key, step);
  await writer.commit();
  const worker = await room.worker();
  const { runs } = await worker.claim({ limit: 1_000 });
  expect(runs.map(({ recordKey }) => recordKey)).toEqual(LOOKALIKES.map((key) => `Parcel/${key}`));
  expect(runs.map(({ records }) => records.map(({ payload }) => payload))).toEqual(
    LOOKALIKES.map((id) => [JSON.stringify({ id, step: 1 }), JSON.stringify({ id, step: 2 })]),
  );
});

test('F058: no key means no order, and stores the empty string', async () => {
  await writer.begin();
  for (const step of [1, 2, 3]) {
    const driver = DRIVERS[0]!.connect(room.url);
    await driver.transaction((unit) => unit.enqueue(ParcelMoved, { id: 'a', step }, { recordKey: '' }));
    await driver.close();
  }
  const worker = await room.worker();
  const { runs } = await worker.claim();
  expect(runs.map(({ recordKey, records }) => [recordKey, records.length])).toEqual([
    ['', 1],
    ['', 1],
    ['', 1],
  ]);
});

describe.each(DRIVERS)('F057 on $driver', ({ connect }) => {
  const LIMIT = 512 - 'Parcel/'.length;
  const hard = randomBytes(8_000).toString('base64url');

  test.each([
    ['random text', hard.slice(0, LIMIT)],
    ['text that compresses', 'a'.repeat(LIMIT)],
    ['four-byte characters', '💥'.repeat(Math.floor(LIMIT / 4))],
  ])('F057: the longest key of %s is kept', async (_what, id) => {
    const driver = connect(room.url);
    await driver.transaction((unit) => unit.enqueueMany([1, 2].map((step) => entry(ParcelMoved, { id, step }))));
    expect(await room.rows(id)).toEqual(['1 ready', '2 waiting']);
    await driver.close();
  });

  test.each([
    ['random text', hard.slice(0, LIMIT + 1)],
    ['text that compresses', 'a'.repeat(8_000)],
    ['four-byte characters', '💥'.repeat(Math.ceil(LIMIT / 4))],
  ])('F057: a longer key of %s is refused, and the transaction stays usable', async (_what, id) => {
    const driver = connect(room.url);
    await driver.transaction(async (unit) => {
      await expect(unit.enqueue(ParcelMoved, { id, step: 1 })).rejects.toMatchObject({
        code: 'CTR_RECORD_KEY_INVALID',
      });
      await expect(
        unit.enqueue(ParcelMoved, { id: 'a', step: 1 }, { recordKey: `Parcel/${id}` }),
      ).rejects.toMatchObject({ code: 'STO_INVALID_OPTION' });
      await unit.enqueue(ParcelMoved, { id: 'b', step: 1 });
    });
    expect(await room.rows('b')).toEqual(['1 ready']);
    await driver.close();
  });
});

// One message alone is written by a function of its own.
describe.each([
  ['one message', [2]],
  ['several messages', [2, 3]],
])('the guard of a key, taken by %s', (_what, steps) => {
  const behind = steps.map((step) => `${String(step)} waiting`);

  test('Q10 F002: a second writer of a key waits for the first, so that commit order is position order', async () => {
    const second = await room.session();
    await writer.begin();
    await room.enqueue(writer, 'k', 1);
    await second.begin();
    const waiting = room.enqueue(second, 'k', ...steps);
    await untilBlocked(room.observer, second, waiting);
    const other = await room.session();
    await room.enqueue(other, 'free', 1);
    await writer.commit();
    await waiting;
    await second.commit();
    expect([await room.rows('k'), await room.rows('free')]).toEqual([['1 ready', ...behind], ['1 ready']]);
  });

  test('Q10 F002: after a rollback of the first the second is the head', async () => {
    const second = await room.session();
    await writer.begin();
    await room.enqueue(writer, 'k', 1);
    const waiting = room.enqueue(second, 'k', ...steps);
    await untilBlocked(room.observer, second, waiting);
    await writer.rollback();
    await waiting;
    expect(await room.rows('k')).toEqual(['2 ready', ...behind.slice(1)]);
  });
});

describe('the guard of a key', () => {
  test('F058: keys that share a stripe wait for each other while one is written, and for nothing else', async () => {
    const [pair] = await room.query(
      `select a.n::text as first, b.n::text as second from generate_series(1, 400) a (n), generate_series(1, 400) b (n)
       where a.n < b.n and waybill.guard_stripe('Parcel/' || a.n) = waybill.guard_stripe('Parcel/' || b.n) limit 1`,
    );
    const [first, second] = [String(pair?.['first']), String(pair?.['second'])];
    const later = await room.session();
    await writer.begin();
    await room.enqueue(writer, first, 1);
    const waiting = room.enqueue(later, second, 1);
    await untilBlocked(room.observer, later, waiting);
    await writer.commit();
    await waiting;
    const worker = await room.worker();
    expect(await worker.take()).toEqual([`${first}:1`, `${second}:1`]);
  });
});

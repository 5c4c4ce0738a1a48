import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type DriverCase, storedSteps } from './driver-case.ts';

const PAYLOADS: readonly unknown[] = [
  [],
  [1, 2, 3],
  [{ a: 1 }],
  [[1], [2]],
  [null],
  'a\u0000b',
  '\\u0000',
  '\ud800 \udc00',
  '{"a",\\\'b}',
  '? ?? $1 $2 :name ::text @p0 {} %s',
  "it's",
  '🧭 ü é e\u0301 \u200b',
  '12345678901234567890',
  [Number.MAX_SAFE_INTEGER, 0.1, 1e300, 5e-324, -1, 1e21],
  { b: 1, a: { '10': 1, '9': 2 }, '': 3 },
  JSON.parse('{"__proto__":{"a":1},"constructor":1,"toString":null}') as unknown,
  ['NULL', 'null', null, '', '{}'],
  true,
  null,
];

const BULK = 5_000;
const BULK_KEYS = 50;
const LARGE_CHARACTERS = 10 * 2 ** 20;

/** That what is enqueued arrives in the store as it was given. */
export const CONTENT_CASES: readonly DriverCase[] = [
  {
    title: 'S04 F009 F015 F082: payloads arrive byte for byte',
    async run({ target, driver, outbox }) {
      const payloads = PAYLOADS.map((value) => ({ value }));
      await driver.transaction(async (tx) => {
        await outbox.enqueueMany(
          tx,
          payloads.map((payload) => ({ message: target.note, payload })),
        );
        for (const payload of payloads) await outbox.enqueue(tx, target.note, payload);
      });
      const written = payloads.map((payload) => JSON.stringify(payload));
      assert.deepEqual(
        (await target.stored()).map(({ payload }) => payload),
        [...written, ...written],
      );
    },
  },
  {
    title: 'S04: a payload of 10 MB arrives whole',
    async run({ target, driver, outbox }) {
      const value = 'x'.repeat(LARGE_CHARACTERS);
      await driver.transaction((tx) => outbox.enqueue(tx, target.note, { value }));
      const [stored] = await target.stored();
      assert.ok(stored?.payload === JSON.stringify({ value }), 'the payload is another one');
    },
  },
  {
    title: 'W06 S04: id, key, tenant, time and headers arrive as given',
    async run({ target, driver, outbox }) {
      const given = {
        id: randomUUID(),
        recordKey: 'Parcel/ü? $1 :a',
        tenant: 'Ac"me\'s {1} ?',
        occurredAt: new Date('1969-12-31T23:59:59.999Z'),
      };
      const headers = { traceparent: '00-ü-🧭', 'a"b': '{\\"} ? :a $1' };
      await driver.transaction(async (tx) => {
        assert.equal((await outbox.enqueue(tx, target.step, { id: 'a', step: 1 }, { ...given, headers })).id, given.id);
      });
      const [stored] = await target.stored();
      assert.ok(stored);
      const { payload, headers: storedHeaders, ...surroundings } = stored;
      assert.deepEqual(surroundings, { ...given, dueAt: null });
      assert.deepEqual([JSON.parse(payload), JSON.parse(storedHeaders ?? '')], [{ id: 'a', step: 1 }, headers]);
    },
  },
  {
    title: 'S02: dueAt delays a message, and is kept to the millisecond',
    async run({ target, driver, outbox }) {
      const dueAt = new Date('2999-12-31T23:59:59.999Z');
      await driver.transaction((tx) => outbox.enqueue(tx, target.note, { value: 1 }, { dueAt }));
      assert.deepEqual((await target.stored())[0]?.dueAt, dueAt);
    },
  },
  {
    title: 'F015 S04: what cannot be kept is refused, and the transaction goes on',
    async run({ target, driver, outbox }) {
      await driver.transaction(async (tx) => {
        for (const options of [{ tenant: 'a\u0000b' }, { recordKey: 'Parcel/\ud800' }, { headers: { a: '\udc00' } }]) {
          const refusal = outbox.enqueue(tx, target.note, { value: 1 }, options);
          await assert.rejects(refusal, { code: 'STO_INVALID_OPTION' });
        }
        const unwritable = outbox.enqueue(tx, target.note, { value: 1n });
        await assert.rejects(unwritable, { code: 'CTR_PAYLOAD_INVALID' });
        await outbox.enqueue(tx, target.note, { value: 'goes on' });
      });
      assert.equal((await target.stored()).length, 1);
    },
  },
  {
    title: 'S01: the same id again is reported, other content under it is a conflict, and the transaction goes on',
    async run({ target, driver, outbox }) {
      const id = randomUUID();
      await driver.transaction(async (tx) => {
        assert.deepEqual((await outbox.enqueue(tx, target.step, { id: 'a', step: 1 }, { id })).created, true);
        assert.deepEqual((await outbox.enqueue(tx, target.step, { id: 'a', step: 1 }, { id })).created, false);
        const conflict = outbox.enqueue(tx, target.step, { id: 'a', step: 9 }, { id });
        await assert.rejects(conflict, { code: 'STO_ID_CONFLICT' });
        await outbox.enqueue(tx, target.step, { id: 'a', step: 2 });
      });
      assert.deepEqual(await storedSteps(target), [1, 2]);
    },
  },
  {
    title: `S03: ${BULK} messages of ${BULK_KEYS} keys in one call keep the order of the call`,
    async run({ target, driver, outbox }) {
      const steps = Array.from({ length: BULK }, (_, step) => step);
      const entries = steps.map((step) => ({
        message: target.step,
        payload: { id: `k${String(step % BULK_KEYS)}`, step },
      }));
      await driver.transaction(async (tx) => {
        assert.deepEqual(await outbox.enqueueMany(tx, []), []);
        const enqueued = await outbox.enqueueMany(tx, entries);
        assert.equal(new Set(enqueued.map(({ id }) => id)).size, BULK);
        assert.ok(enqueued.every(({ created }) => created));
      });
      assert.deepEqual(await storedSteps(target), steps);
    },
  },
];

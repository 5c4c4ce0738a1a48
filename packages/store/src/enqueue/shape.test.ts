/** What callers without types give in the place of messages and options. */
import { inspect } from 'node:util';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';

import { NoteTaken, ParcelMoved } from '../../test/messages.ts';
import { openRoom } from '../../test/room.ts';
import type { Session } from '../../test/session.ts';
import { enqueue, enqueueMany, outbox } from '../drivers/pg.ts';

const room = await openRoom();
afterAll(() => room[Symbol.asyncDispose]());
let session: Session;
beforeEach(async () => {
  await room.clear();
  session = await room.session();
  await session.begin();
});

const ID = '0190aaaa-0000-7000-8000-00000000000a';
const note = { message: NoteTaken, payload: { value: 1 } };
const traced = outbox({ traceContext: () => ({ traceparent: '00-1' }) });

const REFUSED: Readonly<Record<string, readonly [path: string, () => Promise<unknown>]>> = {
  ...Object.fromEntries(
    [null, undefined, 'test.note-taken', {}, [], { type: 'test.note-taken', newest: 1, recordKey: 'id' }].map(
      (thing) => [
        `a message that is ${JSON.stringify(thing)}`,
        ['message', () => enqueue(session.native, thing as never, { value: 1 } as never)] as const,
      ],
    ),
  ),
  ...Object.fromEntries(
    [null, 'tenant', 5, [], new Map([['id', ID]])].map((thing) => [
      `options that are ${inspect(thing)}`,
      ['options', () => enqueue(session.native, NoteTaken, { value: 1 }, thing as never)] as const,
    ]),
  ),
  ...Object.fromEntries(
    [null, 'abc', 5, ['a'], new Map([['a', '1']]), new Date(0), new Headers()].flatMap((headers) =>
      [enqueue, traced.enqueue].map((call, nth) => [
        `headers that are ${inspect(headers)} (${nth === 0 ? 'without' : 'with'} a trace)`,
        ['headers', () => call(session.native, NoteTaken, { value: 1 }, { headers } as never)] as const,
      ]),
    ),
  ),
  ...Object.fromEntries(
    [null, undefined, note, new Set([note]), [null], ['x'], [note, 5]].map((thing, nth) => [
      `a list of messages of shape ${String(nth)}`,
      ['messages', () => enqueueMany(session.native, thing as never)] as const,
    ]),
  ),
  ...Object.fromEntries(
    [null, 5, {}, [ID], new String(ID), `${ID} `].map((id) => [
      `an id that is ${JSON.stringify(id)} (${typeof id})`,
      ['id', () => enqueue(session.native, NoteTaken, { value: 1 }, { id } as never)] as const,
    ]),
  ),
  ...Object.fromEntries(
    ['dueAt', 'occurredAt'].flatMap((name) =>
      [null, 5, '2024-01-01', new Date(NaN), new Date(8.64e15), new Date(-8.64e15), year(0), year(10_000)].map(
        (time) => [
          `${name} that is ${time instanceof Date ? String(time.getTime()) : JSON.stringify(time)}`,
          [name, () => enqueue(session.native, NoteTaken, { value: 1 }, { [name]: time })] as const,
        ],
      ),
    ),
  ),
};

function year(year: number): Date {
  return new Date(Date.UTC(2000, 5, 15) + (year - 2000) * 31_556_952_000);
}

describe('S04: what the database could not keep is refused before it is asked', () => {
  test.each(Object.entries(REFUSED))('S04: %s', async (_what, [path, call]) => {
    await expect(call()).rejects.toMatchObject({
      code: 'STO_INVALID_OPTION',
      message: expect.stringMatching(`^${path}: expected`) as string,
    });
    expect(await session.query('select 1 from waybill.message'), 'the transaction is usable, and empty').toEqual([]);
  });

  test('S04: the first and the last year, and an object of no class, are kept', async () => {
    const headers = Object.assign(Object.create(null) as object, { a: '1' });
    const times = { occurredAt: year(1), dueAt: new Date('9999-12-31T23:59:59.999Z') };
    await enqueue(session.native, ParcelMoved, { id: 'a', step: 1 }, { ...times, headers });
    const [row] = await session.query('select occurred_at, next_attempt_at, headers from waybill.record');
    expect(row).toEqual({ occurred_at: times.occurredAt, next_attempt_at: times.dueAt, headers: { a: '1' } });
  });
});

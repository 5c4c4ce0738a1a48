/** What callers without types ask of the calls for operators and consumers: said by name, before the database is asked. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ANNA, killHeads } from '../../test/dead.ts';
import { openRoom } from '../../test/room.ts';
import { createOnce } from '../drivers/pg.ts';
import { purgeInbox } from '../inbox/purge-inbox.ts';
import { grantsSql } from '../statements/grants.ts';
import { openStore } from '../store.ts';
import { countRecords } from './count.ts';
import { declareReader } from './declare-reader.ts';
import { discard } from './discard.ts';
import { listRecords } from './list.ts';
import { purge } from './purge.ts';
import { replay } from './replay.ts';
import { countReplayable, replayMany } from './replay-many.ts';
import { allowWrites } from './version-pin.ts';

const room = await openRoom();
const store = openStore(room.observer);
afterAll(() => room[Symbol.asyncDispose]());
beforeAll(async () => {
  await room.enqueue(await room.session(), 'k', 1);
  await killHeads(await room.worker());
});

const FAR = new Date(8.64e15);
const ID = '0190aaaa-0000-7000-8000-00000000000a';
const FILTERS: readonly (readonly [unknown, named: string])[] = [
  [null, 'filter'],
  [undefined, 'filter'],
  ['dead-letter', 'filter'],
  [{ typ: 'test.parcel-moved' }, 'typ'],
  [{ constructor: 1 }, 'constructor'],
  [{ type: 5 }, 'type'],
  [{ type: 'a\0' }, 'type'],
  [{ version: 'x' }, 'version'],
  [{ version: 1e12 }, 'version'],
  [{ version: 1.5 }, 'version'],
];
const RECORD_FILTERS: typeof FILTERS = [
  ...FILTERS,
  [{ state: 'dead' }, 'state'],
  [{ recordKey: null }, 'recordKey'],
  [{ enqueuedAfter: '2024-01-01' }, 'enqueuedAfter'],
  [{ enqueuedBefore: FAR }, 'enqueuedBefore'],
];
const DEAD_FILTERS: typeof FILTERS = [
  ...FILTERS,
  [{ reason: 'nonsense' }, 'reason'],
  [{ failedAfter: 0 }, 'failedAfter'],
  [{ failedBefore: new Date(NaN) }, 'failedBefore'],
  [{ recordKey: '\ud800' }, 'recordKey'],
];

async function expectRefusal(named: string, call: () => unknown): Promise<void> {
  await expect((async () => call())()).rejects.toMatchObject({
    code: 'STO_INVALID_OPTION',
    message: expect.stringContaining(`${named}: expected`) as string,
  });
}

describe('S06: a filter is closed: what means nothing does not mean everything', () => {
  test.each(RECORD_FILTERS)('S06: a list by %j', (filter, named) =>
    expectRefusal(named, () => listRecords(store, filter as never)),
  );
  test.each([...FILTERS, [{}, 'state'], [{ state: 'dead' }, 'state'], [{ recordKey: 'k' }, 'recordKey']] as const)(
    'S06: a count by %j',
    (filter, named) => expectRefusal(named, () => countRecords(store, filter as never)),
  );
  test.each(DEAD_FILTERS)('O03 S06: a replay of many by %j replays none', async (filter, named) => {
    await expectRefusal(named, () => countReplayable(store, filter as never));
    await expectRefusal(named, () => replayMany(store, { filter: filter as never, expectedCount: 1 }, ANNA));
    expect(await countReplayable(store, {})).toEqual({ count: 1, capped: false });
  });
  test('S06: members that are undefined are left out', async () => {
    expect(await countReplayable(store, { type: undefined, recordKey: undefined } as never)).toMatchObject({
      count: 1,
    });
  });
});

describe('F045 F047: what changes something says what it lacks', () => {
  test.each([undefined, null, {}, { actor: 5, reason: 5 }])('F045 O03: in the name of %j', async (by) => {
    await expectRefusal('actor', () => replay(store, ID, by as never));
    await expectRefusal('reason', () => discard(store, ID, by as never));
  });

  test.each([undefined, '2030-01-01', 5, FAR, new Date(NaN)])('W32: until %s', async (until) => {
    await expectRefusal('until', () => allowWrites(store, { type: 't', version: 1, until } as never, ANNA));
    await expectRefusal('until', () => declareReader(store, { build: 'b', reads: {}, until } as never, ANNA));
  });

  test.each([undefined, 0, -1, 1.5, 'x', NaN, Infinity, Number.MAX_SAFE_INTEGER])(
    'F047: older than %s',
    async (age) => {
      await expectRefusal('dispatchedOlderThanMs', () => purge(store, { dispatchedOlderThanMs: age as never }));
      await expectRefusal('inbox.olderThanMs', () => purgeInbox(store, { olderThanMs: age as never }));
    },
  );

  test('F056: a schema or a role that is no text', async () => {
    for (const name of [5, null, {}, ['waybill']] as never[]) {
      await expectRefusal('schema', () => grantsSql(name, {}));
      await expectRefusal('producer', () => grantsSql('waybill', { producer: name }));
      await expectRefusal('schema', () => grantsSql(name, {}));
    }
  });

  test.each([
    [null, 'createOnce'],
    [{}, 'table'],
    [{ table: 5, key: { a: 1 } }, 'table'],
    [{ table: { name: 'parcel' }, key: { a: 1 } }, 'schema'],
    [{ table: 'parcel' }, 'key'],
    [{ table: 'parcel', key: null }, 'key'],
    [{ table: 'parcel', key: { a: 1 }, values: 5 }, 'values'],
  ])('Q16: createOnce of %j', async (request, named) => {
    const session = await room.session();
    await session.begin();
    await expectRefusal(named, () => createOnce(session.native, request as never));
    await session.query('select 1');
    await session.rollback();
  });
});

/** One message takes a shorter way through the database than many do. Nobody may be able to tell which it was. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { openRoom } from '../../test/room.ts';
import type { Session } from '../../test/session.ts';

const room = await openRoom();
let session: Session;
beforeAll(async () => {
  session = await room.session();
});
afterAll(() => room[Symbol.asyncDispose]());

const ID = '0190aaaa-0000-7000-8000-00000000000a';
const OTHER = '0190aaaa-0000-7000-8000-00000000000b';

/** Members of a message as JSON text, in the order given: a name may come twice, and a value may be anything. */
type Members = readonly (readonly [name: string, json: string])[];
interface Given {
  readonly members: Members;
  /** Null: not given beside the message. */
  readonly payload: string | null;
}

const quoted = (...values: readonly string[]): string[] => values.map((value) => JSON.stringify(value));
const ODD = ['null', '{}', '[]', '[1]', '5', '1.0', '1e400', '-1', 'true', '""', String.raw`"\u0000"`, '"x"'];
const VALUES: Readonly<Record<string, readonly string[]>> = {
  id: quoted(ID, ID.toUpperCase(), OTHER, `{${ID}}`, ID.replaceAll('-', '')),
  type: quoted('test.note-taken', 'test.parcel-moved', 'test.unknown', 'Bad Type', 'constructor'),
  version: ['1', '2', '"1"', '0', '2147483648'],
  kind: quoted('journey-step-command', 'integration-event', 'nonsense'),
  record_key: quoted('free', 'taken', 'Taken', 'taken ', '', 'x'.repeat(1024), 'ü/💥'),
  tenant: quoted('', 'acme', 'a\nb'),
  event: quoted('EVT-A', ''),
  headers: ['{"a":"1"}', '{"a":1,"a":"2"}', '{"traceparent":"00-1"}', '{"a":null}'],
  occurred_at: quoted(
    ...['2024-02-29T12:34:56.789Z', '2024-02-30T00:00:00Z', '0001-01-01T00:00:00Z', '0001-12-31 BC', 'now'],
    ...['infinity', '-infinity', '9999-12-31T23:59:59.999Z', '10000-01-01T00:00:00Z', '294276-12-31'],
  ),
  due_at: quoted(
    ...['2024-02-29T12:34:56Z', '2924-02-29T12:34:56+05:45', 'infinity', '-infinity', '10000-01-01T00:00:00Z', 'soon'],
  ),
  written_by: ['1', '99', '"7"', '2147483648'],
  when_unreadable: quoted('downcast', 'refuse', 'write-anyway', 'nonsense'),
  payload: ['{"value":1}', '{"value":2}', String.raw`"a\u0000b"`, String.raw`"\ud800"`, '12345678901234567890.10'],
  unknown: ['{"deep":[[[1]]]}'],
};
const BASE: Members = [
  ['type', '"test.note-taken"'],
  ['version', '1'],
];
const member: fc.Arbitrary<readonly [string, string]> = fc.constantFrom(...Object.keys(VALUES)).chain((name) => {
  const usual = fc.constantFrom(...(VALUES[name] ?? []));
  return fc.tuple(fc.constant(name), fc.oneof({ weight: 5, arbitrary: usual }, fc.constantFrom(...ODD)));
});
const given: fc.Arbitrary<Given> = fc.record({
  members: fc
    .tuple(fc.constantFrom(...Array.from({ length: 9 }, () => BASE), []), fc.array(member, { maxLength: 3 }))
    .map(([base, odd]) => [...base, ...odd]),
  payload: fc.constantFrom(null, ...ODD, ...(VALUES['payload'] ?? []), '{'),
});

const textOf = (members: Members): string =>
  `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
const listOf = (parameter: string): string => `('[' || ${parameter}::text || ']')::json`;
const WAYS = {
  rows: `select outcome as answer from waybill.enqueue_rows(${listOf('$1')}, ${listOf('$2')}, $3)`,
  one: 'select waybill.enqueue_one($1::text, $2::text, $3) as answer',
  list: `select outcome as answer from waybill.enqueue(${listOf('$1')}, ${listOf('$2')}, $3)`,
} as const;

// What the clock and the sequence give is not the same twice.
const ROWS = `
select case when m.id in ('${ID}', '${OTHER}') then m.id::text end as id, c.type, c.schema_version, c.kind, m.written_by, m.tenant, m.event_id,
  case when abs(extract(epoch from m.occurred_at - clock_timestamp())) < 600 then 'now' else m.occurred_at::text end as occurred,
  m.headers::text as headers, m.payload::text as payload, m.record_key, d.record_key as delivery_key, d.contract_id = m.contract_id as its,
  d.position = m.seq as place, d.ready_xid is not null as ready, d.due_at::text as due, d.not_before::text as not_before, d.checked, d.settled, d.attempt
from waybill.message m join waybill.contract c on c.id = m.contract_id left join waybill.delivery d on d.seq = m.seq order by m.seq`;

/** What each of the messages was answered, in one transaction, up to the first error; and what stands in the tables then. */
async function outcomeOf(way: keyof typeof WAYS, isolation: string, messages: readonly Given[], proof: string | null) {
  await session.begin(isolation);
  await session.query(
    `select waybill.enqueue_rows('[{"type":"test.note-taken","version":1,"record_key":"taken","payload":0}]')`,
  );
  const answers: string[] = [];
  try {
    for (const { members, payload } of messages) {
      const [row] = await session.query(WAYS[way], [textOf(members), payload, proof]);
      answers.push(String(row?.['answer']).replace(/ \d+$/, ''));
    }
    return { answers, rows: await session.query(ROWS) };
  } catch (error) {
    return { answers: [...answers, refusalOf(error)], rows: [] };
  } finally {
    await session.rollback();
  }
}

// Where several things are wrong at once, any of them may be said.
function refusalOf(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  if (typeof code !== 'string') throw error;
  return /^(22|23|WB002)/.test(code) ? 'malformed' : code;
}

describe('S01 S02 S04: one message through the database', () => {
  test.each(['one', 'list'] as const)('S01 S02 F015: by "%s" it becomes what it would among many', async (way) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(given, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('read committed', 'read committed', 'repeatable read'),
        fc.constantFrom(null, 'any'),
        async (messages, isolation, proof) => {
          expect(await outcomeOf(way, isolation, messages, proof)).toEqual(
            await outcomeOf('rows', isolation, messages, proof),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each(['rows', 'one', 'list'] as const)(
    'F005: by "%s" not outside the transaction that was meant',
    async (way) => {
      const messages = [{ members: BASE, payload: '1' }];
      expect(await outcomeOf(way, 'read committed', messages, '1')).toEqual({ answers: ['WB001'], rows: [] });
    },
  );

  test.each([
    ['occurred_at', '"infinity"'],
    ['occurred_at', '"-infinity"'],
    ['occurred_at', '"10000-01-01T00:00:00Z"'],
    ['due_at', '"infinity"'],
    ['due_at', '"0001-12-31 BC"'],
    ['headers', '[1]'],
    ['headers', '"x"'],
  ])('W06: %s %s is refused, since nobody could read the record', async (name, json) => {
    for (const way of ['rows', 'one', 'list'] as const) {
      const messages = [{ members: [...BASE, [name, json] as const], payload: '1' }];
      expect(await outcomeOf(way, 'read committed', messages, null)).toEqual({ answers: ['malformed'], rows: [] });
    }
  });
});

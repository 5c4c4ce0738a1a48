import { testDatabase } from '@waybill/local-postgres/vitest';
import { afterAll, describe, expect, test } from 'vitest';

import { installGenerationOne } from '../../test/generation-one.ts';
import { openSession } from '../../test/session.ts';
import { migrate } from '../migrate.ts';
import { openStore, type Store } from '../store.ts';
import { startWriter } from '../writer/start-writer.ts';
import { doctor } from './doctor.ts';
import { requireSoundPositions } from './positions.ts';

const database = await testDatabase({ empty: true });
const session = await openSession(database.url);
afterAll(async () => {
  await session.close();
  await database[Symbol.asyncDispose]();
});

// One schema for all; each test mends what it has broken.
const sick = openStore(session, { schema: `It's "x".y` });
await migrate(sick);
async function afterBreaking(statement: string, mend: string): Promise<readonly unknown[]> {
  const put = (text: string): Promise<unknown> => session.query(text.replaceAll('$.', () => `${sick.quoted}.`));
  await put(statement);
  const { findings } = await doctor(sick);
  await put(mend);
  expect(await doctor(sick), 'mended').toMatchObject({ findings: [] });
  return findings;
}

describe('S07: doctor', () => {
  test.each(['waybill', 'My-Schema', `o'clock`])(
    'S07: finds nothing wrong with what the migrations made in %s',
    async (schema) => {
      const store = openStore(session, { schema });
      await migrate(store);
      expect(await doctor(store)).toEqual({ status: 'ready', compared: true, findings: [] });
    },
  );

  test('S07: names the steps that are missing', async () => {
    const store: Store = await installGenerationOne(session, 'one');
    const { status, findings } = await doctor(store);
    expect([status, findings[0]]).toMatchObject(['behind', { kind: 'steps', status: 'behind' }]);
    expect(await doctor(openStore(session, { schema: 'nowhere' }))).toMatchObject({
      status: 'absent',
      compared: false,
    });
  });

  test.each([
    [
      'a lost index',
      'drop index $.delivery_due',
      'create index delivery_due on $.delivery (contract_id, due_at) where due_at is not null and not settled',
      { kind: 'missing', object: 'index delivery_due' },
    ],
    [
      'another default',
      `alter table $.contract alter head_policy set default 'hold'`,
      `alter table $.contract alter head_policy set default 'continue'`,
      { kind: 'different', object: 'table contract, column head_policy' },
    ],
    [
      'another type',
      'alter table $.writer alter generation type bigint',
      'alter table $.writer alter generation type integer',
      { kind: 'different', object: 'table writer, column generation', found: 'bigint not null' },
    ],
    [
      'a lost constraint',
      'alter table $.writer drop constraint writer_generation_known',
      'alter table $.writer add constraint writer_generation_known check (generation >= 1)',
      { kind: 'missing', object: 'table writer, constraint writer_generation_known' },
    ],
    [
      'a trigger that is switched off',
      'alter table $.message disable trigger message_is_immutable',
      'alter table $.message enable trigger message_is_immutable',
      { kind: 'different', object: 'table message, trigger message_is_immutable' },
    ],
    [
      'a column that somebody has added',
      'alter table $.delivery add column note text',
      'alter table $.delivery drop column note',
      { kind: 'unexpected', object: 'table delivery, column note' },
    ],
  ])('S07: finds %s', async (_what, statement, mend, finding) => {
    expect(await afterBreaking(statement, mend)).toMatchObject([finding]);
  });

  test('S07: finds a function with another body', async () => {
    const [row] = await session.query(`select pg_get_functiondef(to_regprocedure($1)) as text`, [
      `${sick.quoted}.refuse_history_change()`,
    ]);
    const text = String(row?.['text']);
    const findings = await afterBreaking(text.replace('only ever added to', 'sometimes changed'), text);
    expect(findings).toMatchObject([{ kind: 'different', object: 'function refuse_history_change()' }]);
  });

  test('S07 F078: finds an index whose build was cut off, which PostgreSQL would not use', async () => {
    const findings = await afterBreaking(
      `update pg_index set indisvalid = false where indexrelid = to_regclass('"It''s ""x"".y".delivery_due')`,
      `update pg_index set indisvalid = true where indexrelid = to_regclass('"It''s ""x"".y".delivery_due')`,
    );
    expect(findings).toMatchObject([
      { kind: 'different', object: 'index delivery_due', found: expect.stringContaining('(invalid)') },
    ]);
  });

  test('S07: finds a step that was applied with another text', async () => {
    const findings = await afterBreaking(
      `update $.migration set checksum = 'x' || checksum where number = 2`,
      `update $.migration set checksum = substr(checksum, 2) where number = 2`,
    );
    expect(findings).toEqual([{ kind: 'edited-step', step: 'record_key' }]);
  });
});

describe('I02: positions that would not grow wedge a key, so nothing starts', () => {
  test.each([
    [
      'a sequence with a cache',
      'alter sequence $.position_seq cache 20',
      'alter sequence $.position_seq cache 1',
      'CACHE 20',
    ],
    [
      'a sequence that was left behind by a switch-over',
      `insert into $.message (seq, id, contract_id, occurred_at, payload, record_key) values (7, gen_random_uuid(), 1, now(), '1', '')`,
      'delete from $.message',
      'stands at 0, below position 7',
    ],
  ])('I02 S07: %s', async (_what, statement, mend, problem) => {
    const put = (text: string): Promise<unknown> => session.query(text.replaceAll('$.', () => `${sick.quoted}.`));
    await requireSoundPositions(sick);
    await put(statement);
    await expect(requireSoundPositions(sick)).rejects.toMatchObject({
      code: 'STO_POSITIONS_BROKEN',
      message: expect.stringContaining(problem),
    });
    const report = await new Promise((resolve) => {
      const writer = startWriter(sick, {
        build: 'shop@1',
        writes: [],
        report: (given) => void writer.stop().then(() => resolve(given)),
      });
    });
    expect(report).toMatchObject({ status: 'failing', cause: { code: 'STO_POSITIONS_BROKEN' } });
    expect((await doctor(sick)).findings).toContainEqual({
      kind: 'positions',
      problem: expect.stringContaining(problem),
    });
    await put(mend);
    await requireSoundPositions(sick);
  });
});

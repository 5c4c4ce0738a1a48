import { EventEmitter } from 'node:events';
import { type TestDatabase, testDatabase } from '@waybill/local-postgres/vitest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CliRun, type CliSurroundings, cli } from '../../test/cli.ts';
import { DeadLetters } from '../../test/dead-letters.ts';

const BY = ['--actor', 'anna@example.org', '--reason', 'the scale is back'];
const NOBODY = '0190aaaa-0000-7000-8000-000000000000';

let database: TestDatabase;
let letters: DeadLetters;
beforeAll(async () => {
  database = await testDatabase();
  letters = await DeadLetters.open(database.url);
});
afterAll(async () => {
  await letters[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const run = (args: readonly string[], surroundings: CliSurroundings = {}): Promise<CliRun> =>
  cli(args, { ...surroundings, environment: { WAYBILL_DATABASE_URL: database.url } });
const states = async (...ids: readonly string[]): Promise<readonly unknown[]> =>
  (await letters.rows(`select state from waybill.record where id in ('${ids.join("','")}') order by id`)).map(
    (row) => (row as { readonly state: string }).state,
  );
const audits = (): Promise<readonly unknown[]> =>
  letters.rows('select actor, action, reason from waybill.audit order by id');

describe('waybill messages and dead', () => {
  test('O04: lists and shows messages in documents whose members are frozen', async () => {
    const [first = '', second = ''] = await letters.bury('list-1', 'list-2');
    const page = (
      await run(['messages', 'list', '--filter', 'state=dead-letter', '--limit', '1', '--json'])
    ).document();
    expect(Object.keys(page)).toEqual(['schema', 'records', 'next']);
    expect(page['records']).toEqual([
      {
        id: second,
        kind: 'journey-step-command',
        type: 'parcels.weigh',
        version: 1,
        occurredAt: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
        enqueuedAt: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
        tenant: null,
        recordKey: 'Parcel/list-2',
        event: null,
        state: {
          state: 'dead-letter',
          deadLetter: expect.any(String) as unknown,
          attempt: expect.any(Number) as unknown,
          reason: 'refused',
          error: 'the scale said \u001b[2Jno',
          failedAt: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
          failedBy: expect.any(String) as unknown,
          discarded: null,
        },
      },
    ]);
    const rest = await run([
      'dead',
      'list',
      '--after',
      String(page['next']),
      '--filter',
      'key=Parcel/list-1',
      '--json',
    ]);
    expect(rest.document()['records']).toMatchObject([{ id: first }]);

    const shown = (await run(['messages', 'show', first, '--json'])).document()['record'] as object;
    expect(Object.keys(shown)).toEqual([
      ...['id', 'kind', 'type', 'version', 'occurredAt', 'enqueuedAt', 'tenant', 'recordKey', 'event', 'state'],
      ...['deliveries', 'replays', 'actions'],
    ]);
    const absent = await run(['dead', 'show', NOBODY, '--json']);
    expect([absent.code, absent.document()['record']]).toEqual([3, null]);
  });

  test('a table shows what would move a cursor, and no payload', async () => {
    const [id = ''] = await letters.bury('table');
    const list = await run(['dead', 'list', '--filter', 'key=Parcel/table']);
    expect(list.stdout).toContain(`${id}  parcels.weigh@1  dead-letter (refused)`);
    expect(list.stdout).toContain('the scale said \\u001b[2Jno');
    const show = await run(['dead', 'show', id]);
    expect(show.stdout).toMatch(/^dead-letter +\d{4}-.* \(refused: the scale said/m);
    expect(list.stdout + show.stdout).not.toContain('4242');
  });

  test('V06: a payload is shown on request only, as the readers of the contracts read it', async () => {
    const [id = ''] = await letters.bury('payload');
    const show = ['messages', 'show', id, '--payload', '--json', '--config', 'parcels.config.ts'];
    const { stdout } = await run(show);
    expect(JSON.parse(stdout)).toMatchObject({
      record: { payload: { status: 'ok', value: { parcel: 'payload', grams: 4242 } }, headers: {} },
    });
    await letters.rows(`update waybill.contract set schema_version = 9 where type = 'parcels.weigh'`);
    const newer = await run(show);
    await letters.rows(`update waybill.contract set schema_version = 1 where type = 'parcels.weigh'`);
    expect(JSON.parse(newer.stdout)).toMatchObject({ record: { payload: { status: 'unknown-version' } } });
    expect(newer.stdout).not.toContain('4242');
  });

  test('O03: replays one message, with who and why, and not a second time', async () => {
    const [id = ''] = await letters.bury('one');
    const preview = await run(['dead', 'replay', id, '--dry-run', '--json']);
    expect(preview.document()).toMatchObject({ status: 'replayable', id, deliveredSince: { count: 0 } });
    expect(await states(id)).toEqual(['dead-letter']);
    const replayed = await run(['dead', 'replay', id, ...BY, '--json']);
    expect([replayed.code, replayed.stderr]).toEqual([0, '']);
    expect(replayed.document()).toMatchObject({ status: 'replayed', id, place: 'ready' });
    expect(await audits()).toContainEqual({ actor: 'anna@example.org', action: 'replay', reason: 'the scale is back' });
    const again = await run(['dead', 'replay', id, ...BY]);
    expect(again).toMatchObject({ code: 4, stdout: '', stderr: `waybill: ${id} is pending, nothing was done\n` });
  });

  test('O03: a replay that comes after newer messages of its key shows them and asks for a yes on the command line', async () => {
    const [older = ''] = await letters.bury('late');
    const [newer = ''] = await letters.write('late');
    await letters.settleAll('dispatched');
    const refused = await run(['dead', 'replay', older, ...BY, '--json']);
    expect(refused.code).toBe(4);
    expect(refused.document()).toMatchObject({
      status: 'out-of-order',
      deliveredSince: { count: 1, newest: { id: newer }, contracts: ['parcels.weigh@1'] },
    });
    expect(await states(older)).toEqual(['dead-letter']);
    const done = await run(['dead', 'replay', older, ...BY, '--allow-out-of-order']);
    expect(done).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('of its key 1 were delivered since') as unknown,
    });
    expect(await states(older)).toEqual(['pending']);
  });

  test('O03: discards a dead message for good', async () => {
    const [id = ''] = await letters.bury('discard');
    expect((await run(['dead', 'discard', id, ...BY])).stdout).toBe(`discarded ${id}\n`);
    expect(await run(['dead', 'replay', id, ...BY])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('was discarded by anna@example.org') as unknown,
    });
    expect((await run(['dead', 'discard', NOBODY, ...BY])).code).toBe(3);
  });

  test('O03: replays many only while there are as many as the operator has seen', async () => {
    await letters.bury('many-1', 'many-2', 'many-3');
    const filter = ['--filter', 'type=parcels.weigh', '--filter', 'reason=refused'];
    const { count } = (await run(['dead', 'replay', ...filter, '--dry-run', '--json'])).document() as { count: number };
    expect(count).toBeGreaterThanOrEqual(3);
    const moved = await run(['dead', 'replay', ...filter, '--expect-count', String(count + 1), ...BY, '--json']);
    expect([moved.code, moved.document()]).toEqual([4, expect.objectContaining({ status: 'count-moved', count })]);
    let now = 0;
    const done = await run(['dead', 'replay', ...filter, '--expect-count', String(count), ...BY, '--json'], {
      now: () => (now += 5_000),
    });
    expect([done.code, done.document()]).toEqual([
      0,
      { schema: 'waybill.cli/v1', status: 'done', replayed: count, gone: 0, busy: 0 },
    ]);
    expect(done.stderr).toBe(`waybill: replayed ${String(count)} of ${String(count)}\n`);
  });

  test.each(['SIGINT', 'SIGTERM'])('O03: %s cancels a bulk replay and says how far it came', async (signal) => {
    const parcels = Array.from({ length: 60 }, (_, number) => `${signal}-${String(number)}`);
    await letters.settleAll('dispatched');
    await letters.bury(...parcels);
    const events = new EventEmitter();
    let now = 0;
    const filter = ['--filter', 'type=parcels.weigh'];
    const { count } = (await run(['dead', 'replay', ...filter, '--dry-run', '--json'])).document() as { count: number };
    const args = ['dead', 'replay', ...filter, '--expect-count', String(count), '--max-per-second', '0.1', ...BY];
    // Without the signal, the pause behind the first batch would take minutes.
    const cancelled = await run([...args, '--json'], {
      events,
      now: () => (now += 5_000),
      onStderr: () => events.emit(signal),
    });
    expect(cancelled.code).toBe(130);
    expect(cancelled.document()).toMatchObject({ status: 'cancelled', replayed: 50 });
    expect(events.eventNames()).toEqual([]);
  });

  test.each<[readonly string[], RegExp]>([
    [['dead', 'replay'], /give an id, or --filter/],
    [['dead', 'replay', NOBODY], /say --actor <name> and --reason <text>/],
    [['dead', 'replay', NOBODY, '--actor', 'anna'], /say --reason <text>/],
    [['dead', 'discard', NOBODY, '--reason', 'why'], /say --actor <name>/],
    [['dead', 'replay', NOBODY, '--expect-count', '1'], /either an id or --filter/],
    [['dead', 'replay', '--filter', 'type=a', ...BY], /say --expect-count/],
    [['dead', 'replay', '--filter', 'colour=red'], /expected NAME=VALUE with one of reason, type/],
    [['dead', 'replay', '--filter', 'type=a', '--filter', 'type=b'], /type is given twice/],
    [['dead', 'replay', '--filter', 'type=a', '--max-per-second', '0'], /a number above 0/],
    [['messages', 'list', '--filter', 'state=lost'], /expected one of pending, processing/],
    [['messages', 'list', '--filter', 'enqueued-after=yesterday'], /a time with its offset/],
    [['messages', 'list', '--limit', '0'], /a whole number from 1/],
    [['messages', 'list', '--after', 'x'], /after: expected the next of a page/],
  ])('O04: %j is a wrong command line, and nothing asks a question', async (args, stderr) => {
    const wrong = await run(args);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toMatch(stderr);
  });
});

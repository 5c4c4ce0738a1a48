import { testDatabase } from '@waybill/local-postgres/vitest';
import { describe, expect, test } from 'vitest';
import { cli } from '../../test/cli.ts';
import { rows, withClient } from '../../test/database.ts';
import { oldOutbox } from '../../test/generation-one.ts';
import { commandLeaves } from '../../test/program-tree.ts';

const BY = ['--actor', 'ben@example.org', '--reason', 'ticket 17'];
const UNTIL = ['--until', new Date(Date.now() + 3_600_000).toISOString()];
const ID = '00000000-0000-4000-8000-000000000000';
const MANIFEST = '../rollout/old.json';

/** Commands that read or change what the tables hold. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'messages list': [],
  'messages show': [ID],
  'dead list': [],
  'dead show': [ID],
  'dead replay': [ID, ...BY],
  'dead discard': [ID, ...BY],
  'destinations list': [],
  'destinations pause': ['moves', ...BY],
  'destinations resume': ['moves', ...BY],
  'dispatchers list': [],
  'dispatchers drain': ['parcels@1', '--expect-count', '1', ...BY],
  'schema backfill-keys': [],
  'gate pull-worker': [],
  'gate override pull-worker': [...UNTIL, ...BY],
  'gate shadow-read': [],
  'gate writers': ['--manifest', MANIFEST],
  'gate rollback': ['--to', MANIFEST],
  'gate retire': ['parcels.weigh@1'],
  'readers declare': ['--manifest', MANIFEST, ...UNTIL, ...BY],
  'readers list': [],
  'readers withdraw': ['1', ...BY],
  'versions pin': ['parcels.weigh@1', ...BY],
  'versions ramp': ['parcels.weigh@1', '--percent', '10', ...BY],
  'versions unpin': ['parcels.weigh', ...BY],
  'versions allow': ['parcels.weigh@1', ...UNTIL, ...BY],
  retire: ['parcels.weigh@1', '--expect-revision', '1', ...BY],
  coverage: [],
};
/** The others: they look at the tables themselves, or at none. */
const OTHERS = [
  ...['run', 'status', 'schema plan', 'schema grants', 'schema apply', 'schema doctor', 'manifest', 'config check'],
  ...['config env', 'health', 'alerts generate', 'alerts check', 'rollout plan', 'delivery-spec', 'completion'],
];
/** What is asked for while services and dispatchers still work on tables without record keys. */
const ON_OLD_TABLES = ['dispatchers list', 'gate pull-worker'];

/** Each command with its exit code and the code of its failure. */
async function answers(url: string): Promise<readonly (readonly unknown[])[]> {
  const found: (readonly unknown[])[] = [];
  for (const [command, args] of Object.entries(COMMANDS)) {
    const line = [...command.split(' '), ...args, '--config', 'parcels.config.ts', '--json'];
    const run = await cli(line, { environment: { WAYBILL_DATABASE_URL: url } });
    const error = run.document()['error'];
    found.push([command, run.code, error === undefined ? null : Reflect.get(Object(error), 'code')]);
  }
  return found;
}

const REFUSED = Object.keys(COMMANDS).map((command) => [command, 5, 'DSP_SCHEMA_NOT_READY']);

describe('F079 O04: tables that are not those of this version', () => {
  test('O04: every command is tried below, or is known not to rely on the tables', () => {
    expect([...Object.keys(COMMANDS), ...OTHERS].sort()).toEqual([...commandLeaves()].sort());
  });

  test('F079: without tables each command says so, with the exit code of a drifted schema', async () => {
    await using database = await testDatabase({ empty: true });
    expect(await answers(database.url)).toEqual(REFUSED);
  });

  test('F079: on tables that a newer version has changed nothing is answered and nothing done', async () => {
    await using database = await testDatabase();
    const future = `insert into waybill.migration (number, name, breaking, checksum) values (9001, 'future', true, 'x')`;
    await withClient(database.url, (client) => client.query(future));
    expect(await answers(database.url)).toEqual(REFUSED);
    expect(await rows(database.url, 'select action from waybill.audit')).toEqual([]);
    const planned = await cli(['schema', 'apply', '--dry-run'], { environment: { DATABASE_URL: database.url } });
    expect([planned.code, planned.stdout]).toEqual([5, expect.stringContaining('future')]);
  });

  test('F079 Q07: on tables without record keys there is an answer where they are worked with', async () => {
    const { url } = await oldOutbox();
    const found = await answers(url);
    expect(found.filter(([command]) => !ON_OLD_TABLES.includes(String(command)))).toEqual(
      REFUSED.filter(([command]) => !ON_OLD_TABLES.includes(String(command))).map(([command, code, failure]) =>
        // What the backfill finds is an answer of its own.
        command === 'schema backfill-keys' ? [command, code, null] : [command, code, failure],
      ),
    );
    expect(found.filter(([command]) => ON_OLD_TABLES.includes(String(command)))).toEqual([
      ['dispatchers list', 0, null],
      ['gate pull-worker', 1, null],
    ]);
  });
});

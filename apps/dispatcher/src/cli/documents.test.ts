import { type TestDatabase, testDatabase } from '@waybill/local-postgres/vitest';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CliRun, cli } from '../../test/cli.ts';
import { blocks, type CommandLine, commandLines } from '../../test/command-lines.ts';
import { DeadLetters } from '../../test/dead-letters.ts';

/** The commands of a page as arguments, where none sets its environment. */
async function commands(
  page: string,
  variables: Readonly<Record<string, string>>,
): Promise<readonly (readonly string[])[]> {
  return (await commandLines(page, variables)).map(({ args }) => args);
}

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

async function codes(args: readonly (readonly string[])[], url = database.url): Promise<readonly string[]> {
  const environment = { WAYBILL_DATABASE_URL: url };
  const lines: string[] = [];
  for (const command of args) {
    const { code } = await cli([...command, '--config', 'parcels.config.ts'], { environment });
    lines.push(
      `${command
        .filter((word) => /^[a-z]+$/.test(word))
        .slice(0, 2)
        .join(' ')}: ${String(code)}`,
    );
  }
  return lines;
}

describe('the runbooks', () => {
  test('every command of dead-letters.md does what the page says', async () => {
    const [id = ''] = await letters.bury('runbook');
    const args = await commands('runbooks/dead-letters.md', { ID: id, ACTOR: 'anna@example.org' });
    const [discard, ...before] = [args.at(-1) ?? [], ...args.slice(0, -1)];
    expect((await codes(before)).filter((line) => !line.endsWith(': 0'))).toEqual([]);
    await letters.settleAll('dead-letter');
    expect(await codes([discard])).toEqual(['dead discard: 0']);
  });

  test('every command of store-outage.md answers with and without a store', async () => {
    const args = (await commands('runbooks/store-outage.md', {})).filter(([name]) => name !== 'health');
    expect(args.length).toBeGreaterThan(5);
    expect((await codes(args)).filter((line) => !line.endsWith(': 0'))).toEqual([]);
    // Nothing listens on the discard port.
    const without = await codes(args, 'postgres://waybill@127.0.0.1:9/none');
    expect(without.filter((line) => !line.endsWith(': 69'))).toEqual(['config check: 0']);
  });

  test('Q25: the steps of pull-workers.md turn the gate, in their order, and back out', async () => {
    await using own = await testDatabase({ empty: true });
    const UNTIL = new Date(Date.now() + 3_600_000).toISOString();
    const page = await commandLines('runbooks/pull-workers.md', { UNTIL, ACTOR: 'anna@example.org' });
    const run = async ({ environment, args }: Pick<CommandLine, 'environment' | 'args'>): Promise<CliRun> =>
      cli([...args, '--config', 'parcels.config.ts', '--json'], {
        environment: { ...environment, WAYBILL_DATABASE_URL: own.url },
      });
    const done: string[] = [];
    const next = async (): Promise<CliRun> => {
      const step = page[done.length];
      if (step === undefined) throw new Error('the page has no further step');
      done.push(step.args.slice(0, 2).join(' '));
      return run(step);
    };
    const settingOf = ({ document }: CliRun): unknown => document()['settings'];
    const itemsOf = ({ document }: CliRun): unknown => document()['items'];

    expect(settingOf(await next())).toContainEqual({ path: 'pullWorker', value: 'off', source: 'environment' });
    expect((await next()).code, 'schema apply').toBe(0);
    await using outbox = await DeadLetters.open(own.url);
    // The backlog is older than the keys, and its writers are gone.
    await outbox.rows(`update waybill.migration set applied_at = applied_at + interval '1 hour'`);
    await outbox.writeKeyless('backlog', 'backlog');
    expect(itemsOf(await next())).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 'G2.2', state: 'red' }),
        expect.objectContaining({ id: 'G2.3', state: 'green' }),
      ]),
    );
    expect((await next()).document()).toMatchObject({ outcome: 'complete', filled: 2 });
    const gate = await next();
    expect(itemsOf(gate)).toContainEqual(expect.objectContaining({ id: 'G2.2', state: 'green' }));
    expect((await next()).code, 'override').toBe(0);
    expect((await run({ environment: {}, args: ['gate', 'pull-worker'] })).document()).toMatchObject({
      verdict: 'safe',
      override: { actor: 'anna@example.org', until: UNTIL },
    });
    expect(settingOf(await next())).toContainEqual({ path: 'pullWorker', value: 'auto', source: 'environment' });
    for (const watched of page.slice(done.length, -2)) {
      expect((await next()).code, watched.args.join(' ')).toBe(0);
    }
    expect(settingOf(await next())).toContainEqual({ path: 'pullWorker', value: 'off', source: 'environment' });
    expect((await next()).document()).toMatchObject({ pending: 2 });
    expect(done).toEqual([
      'config check',
      'schema apply',
      'gate pull-worker',
      'schema backfill-keys',
      'gate pull-worker',
      'gate override',
      'config check',
      'status',
      'dispatchers list',
      'dead list',
      'config check',
      'status',
    ]);
  });
});

describe('delete-cascades.md', () => {
  test('Q24: the example deletes in batches, waits for nobody, and takes the parent last', async () => {
    await using own = await testDatabase({ empty: true });
    const [tables = '', mark = '', batch = '', last = ''] = await blocks('delete-cascades.md', 'sql');
    const connect = async (): Promise<pg.Client> => {
      const client = new pg.Client({ connectionString: own.url });
      await client.connect();
      return client;
    };
    const [deleting, busy] = [await connect(), await connect()];
    try {
      await deleting.query(tables);
      await deleting.query('insert into customer values (1), (2)');
      await deleting.query('insert into invoice select n, 1 + n % 2 from generate_series(1, 3000) n');
      await deleting.query(`set lock_timeout = '5s'`);
      await deleting.query(mark);
      await busy.query('begin; select from invoice where id = 2 for update');

      const deleted = async (): Promise<number | null> => (await deleting.query(batch)).rowCount;
      expect([await deleted(), await deleted(), await deleted()]).toEqual([1_000, 499, 0]);
      expect((await deleting.query(last)).rowCount, 'somebody works on its last child').toBe(0);
      await busy.query('rollback');
      expect([await deleted(), (await deleting.query(last)).rowCount]).toEqual([1, 1]);
      const left = await deleting.query('select count(*)::integer as invoices from invoice');
      expect(left.rows).toEqual([{ invoices: 1_500 }]);
    } finally {
      await Promise.all([deleting.end(), busy.end()]);
    }
  });
});

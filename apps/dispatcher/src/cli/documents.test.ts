import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type TestDatabase, testDatabase } from '@waybill/local-postgres/vitest';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cli } from '../../test/cli.ts';
import { DeadLetters } from '../../test/dead-letters.ts';

const DOCS = fileURLToPath(new URL('../../../../docs/', import.meta.url));

/** The blocks of a language in a page, in order. */
async function blocks(page: string, language: 'sh' | 'sql'): Promise<readonly string[]> {
  const text = await readFile(`${DOCS}${page}`, 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) =>
    block.trim(),
  );
}

/** The commands of a page as arguments, with its variables filled in. */
async function commands(page: string, variables: Readonly<Record<string, string>>): Promise<readonly string[][]> {
  const lines = (await blocks(page, 'sh')).flatMap((block) => block.split('\n'));
  return lines.map((line) => {
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
    const [program, ...args] = words.map((word) =>
      word.replace(/\$([A-Z]+)/g, (_, name: string) => variables[name] ?? ''),
    );
    expect(program).toBe('waybill');
    return args;
  });
}

let database: TestDatabase;
let letters: DeadLetters;
beforeAll(async () => {
  database = await testDatabase();
  letters = await DeadLetters.open(database.url);
}, 60_000);
afterAll(async () => {
  await letters[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function codes(args: readonly string[][], url = database.url): Promise<readonly string[]> {
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

describe('the runbooks', { timeout: 120_000 }, () => {
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
});

describe('delete-cascades.md', { timeout: 60_000 }, () => {
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

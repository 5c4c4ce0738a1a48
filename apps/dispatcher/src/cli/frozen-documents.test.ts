import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabase } from '@waybill/local-postgres/vitest';
import { afterAll, describe, expect, test } from 'vitest';
import { cli } from '../../test/cli.ts';
import { DeadLetters } from '../../test/dead-letters.ts';
import { checkDocument } from '../../test/documents/check-document.ts';
import { DOCUMENTED } from '../../test/documents/documents.ts';
import { commandLeaves } from '../../test/program-tree.ts';

const BY = ['--actor', 'ben@example.org', '--reason', 'ticket 17'];
const UNTIL = new Date(Date.now() + 3_600_000).toISOString();
const FILTER = ['--filter', 'type=parcels.weigh'];
/** `completion` prints a script and `run` a log; they have no document. */
const NO_DOCUMENT = ['completion', 'run'];

const folder = await mkdtemp(join(tmpdir(), 'waybill-documents-'));
afterAll(() => rm(folder, { recursive: true }));

async function write(name: string, document: object): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, JSON.stringify(document));
  return file;
}

const manifest = (build: string, versions: readonly number[]): Promise<string> =>
  write(`${build}.json`, {
    schema: 'waybill.manifest/v1',
    build,
    destinations: [],
    readers: { 'parcels.move': versions },
    writers: { 'parcels.move': versions.slice(-1) },
  });

async function limits(): Promise<string> {
  await mkdir(join(folder, 'limits'));
  const limit = {
    id: 'LIM-PARCELS',
    useCase: 'track a parcel',
    objective: 0.99,
    withinSeconds: 60,
    windowDays: 30,
    destinations: ['moves'],
  };
  await write('limits/parcels.json', {
    ...limit,
    alerts: { page: 'page', ticket: 'ticket', runbook: 'https://example.org/runbook' },
  });
  return join(folder, 'limits');
}

describe('the documents of the commands', { timeout: 120_000 }, () => {
  test('O04: every command answers --json with a document that schemas/cli.json describes, member by member', async () => {
    await using database = await testDatabase();
    await using letters = await DeadLetters.open(database.url);
    const [replayed = '', discarded = '', other = ''] = await letters.bury('a', 'b', 'c', 'd');
    await letters.write('e');
    const [older, newer] = [await manifest('older', [1]), await manifest('newer', [1, 2])];
    const limitFolder = await limits();
    const rules = join(folder, 'rules.yaml');
    // In the order of what a command changes for the ones that follow.
    const commands: readonly (readonly [leaf: string, ...args: (readonly string[])[]])[] = [
      ['config check', []],
      ['config env', []],
      ['manifest', []],
      ['delivery-spec', []],
      ['schema plan', []],
      ['schema grants', ['--producer', 'shop']],
      ['schema apply', ['--dry-run'], []],
      ['schema backfill-keys', []],
      ['schema doctor', []],
      ['status', []],
      ['messages list', []],
      ['messages show', [other], [other, '--payload'], ['00000000-0000-4000-8000-000000000000']],
      ['dead list', []],
      ['dead show', [other]],
      ['dead discard', [discarded, ...BY]],
      [
        'dead replay',
        [replayed, '--dry-run'],
        [replayed, ...BY],
        [...FILTER, '--dry-run'],
        [...FILTER, '--expect-count', '9', ...BY],
        [...FILTER, '--expect-count', '2', ...BY],
      ],
      ['destinations pause', ['moves', ...BY], ['moves', ...BY]],
      ['destinations list', []],
      ['destinations resume', ['moves', ...BY]],
      ['dispatchers list', []],
      [
        'dispatchers drain',
        ['parcels@test', '--dry-run'],
        ['parcels@test', '--expect-count', '2', ...BY],
        ['nobody', '--expect-count', '1', ...BY],
        [letters.owner, ...BY],
      ],
      ['gate pull-worker', []],
      ['gate override pull-worker', ['--until', UNTIL, ...BY]],
      ['gate shadow-read', []],
      ['gate writers', ['--manifest', newer]],
      ['gate rollback', ['--to', older]],
      ['gate retire', ['parcels.weigh@1']],
      ['rollout plan', ['--from', older, '--to', newer]],
      ['readers declare', ['--manifest', older, '--until', UNTIL, ...BY]],
      ['readers list', []],
      ['readers withdraw', ['1', ...BY]],
      ['coverage', []],
      ['versions pin', ['parcels.weigh@1', ...BY]],
      ['versions ramp', ['parcels.weigh@1', '--percent', '10', ...BY]],
      ['versions unpin', ['parcels.weigh', ...BY]],
      ['versions allow', ['parcels.weigh@1', '--until', UNTIL, ...BY]],
      ['retire', ['parcels.weigh@1', '--expect-revision', '9', ...BY]],
      ['alerts generate', ['--limits', limitFolder], ['--limits', limitFolder, '--out', rules]],
      ['alerts check', [rules, '--limits', limitFolder]],
      ['health', ['--url', 'http://127.0.0.1:9/readyz']],
    ];
    for (const [leaf, ...variants] of commands) {
      for (const args of variants) {
        const words = leaf.split(' ');
        const run = await cli([...words, ...args, '--config', 'parcels.config.ts', '--json'], {
          environment: { WAYBILL_DATABASE_URL: database.url },
        });
        expect(run.code, `${leaf} is a right command line: ${run.stderr}${run.stdout}`).not.toBe(2);
        // Validates it, as it does in every other test.
        run.document();
      }
    }
    const leaves = commandLeaves().filter((leaf) => !NO_DOCUMENT.includes(leaf));
    expect(commands.map(([leaf]) => leaf).sort()).toEqual([...leaves].sort());
    expect(DOCUMENTED).toEqual([...leaves].sort());
  });

  const plan = ['schema', 'plan', '--json'];
  const planned = { schema: 'waybill.cli/v1', name: 'waybill', sql: '' };
  test.each([
    ['a member is missing', plan, { ...planned, sql: undefined }],
    ['a member is of another type', plan, { ...planned, name: 1 }],
    ['a member is not described', plan, { ...planned, more: 1 }],
    ['it is of another format', plan, { ...planned, schema: 'waybill.cli/v2' }],
    ['it is an answer of another command', ['status'], planned],
    ['it is a result, where no command was given', ['--json'], planned],
  ])('O04: a document is refused where %s', (_what, args, document) => {
    expect(() => checkDocument(plan, planned)).not.toThrow();
    expect(() => checkDocument(args, JSON.parse(JSON.stringify(document)))).toThrow(/not what schemas\/cli\.json says/);
  });
});

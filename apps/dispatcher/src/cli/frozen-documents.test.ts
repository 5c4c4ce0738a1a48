import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testDatabase } from '@waybill/local-postgres/vitest';
import { afterAll, describe, expect, test } from 'vitest';
import { cli } from '../../test/cli.ts';
import { DeadLetters } from '../../test/dead-letters.ts';
import { commandLeaves } from '../../test/program-tree.ts';
import { type Shape, shapeOf } from '../../test/shape-of.ts';

const FROZEN = fileURLToPath(new URL('../../../../schemas/cli.json', import.meta.url));
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
  test('O04: every command answers --json with a document whose form is frozen in schemas/cli.json', async () => {
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
    const shapes: Record<string, Shape> = {};
    for (const [leaf, ...variants] of commands) {
      for (const [nth, args] of variants.entries()) {
        const words = leaf.split(' ');
        const run = await cli([...words, ...args, '--config', 'parcels.config.ts', '--json'], {
          environment: { WAYBILL_DATABASE_URL: database.url },
        });
        expect(run.code, `${leaf} is a right command line: ${run.stderr}${run.stdout}`).not.toBe(2);
        shapes[variants.length === 1 ? leaf : `${leaf} (${String(nth + 1)})`] = shapeOf(run.document());
      }
    }
    const leaves = commandLeaves().filter((leaf) => !NO_DOCUMENT.includes(leaf));
    expect(commands.map(([leaf]) => leaf).sort()).toEqual([...leaves].sort());
    await expect(`${JSON.stringify(shapes, null, 2)}\n`).toMatchFileSnapshot(FROZEN);
  });
});

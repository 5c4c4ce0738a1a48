import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { cli } from '../../test/cli.ts';

const TYPE = 'shop.order-placed';
const folder = await mkdtemp(join(tmpdir(), 'waybill-plan-'));
afterAll(() => rm(folder, { recursive: true }));

async function manifest(build: string, reads: readonly number[]): Promise<string> {
  const file = join(folder, `${build}.json`);
  const versions = { readers: { [TYPE]: reads }, writers: { [TYPE]: reads.slice(-1) } };
  await writeFile(file, JSON.stringify({ schema: 'waybill.manifest/v1', build, destinations: [], ...versions }));
  return file;
}

test('W33: the plan of a rollout is printed for people and for pipelines, without a store', async () => {
  const [old, both, next] = [await manifest('old', [1]), await manifest('both', [1, 2]), await manifest('next', [2])];
  const shown = await cli(['rollout', 'plan', '--from', old, '--to', both]);
  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain(`3. allow-writers ${TYPE}@2\n`);
  expect(shown.stdout).toContain(`waybill gate writers --manifest ${both}`);
  const document = (await cli(['rollout', 'plan', '--from', old, '--to', both, '--json'])).document();
  expect(document).toMatchObject({ from: 'old', to: 'both', status: 'planned' });
  expect(document['steps']).toHaveLength(5);
  const refused = await cli(['rollout', 'plan', '--from', old, '--to', next]);
  expect(refused.code).toBe(4);
  expect(refused.stdout).toContain(`${TYPE}@1`);
});

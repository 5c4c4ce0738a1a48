import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { cli } from '../../test/cli.ts';
import { type CommandLine, type Event, filled, linesOf, sectionOf } from '../../test/command-lines.ts';
import { Shop } from '../../test/rollout/shop.ts';
import { waybill } from '../../test/waybill-process.ts';

const DOCS = fileURLToPath(new URL('../../../../docs/', import.meta.url));
const FOLDER = fileURLToPath(new URL('../../test/rollout/', import.meta.url));
const UNTIL = new Date(Date.now() + 3_600_000).toISOString();

/** What later commands need of the answers of earlier ones. */
const SHOWN = [
  ['REVISION', /^revision (\d+)$/m],
  ['READER', /^declared \S+ as reader (\d+)$/m],
] as const;

/** Runs the commands of a section of the guide one by one, and lets happen in between what the page says. */
async function follow(
  heading: string,
  shop: Shop,
  events: Readonly<Record<string, () => Promise<void>>>,
): Promise<void> {
  await followText(await sectionOf('rollouts.md', heading), shop, events);
}

/** The same for a whole page. */
async function followPage(
  page: string,
  shop: Shop,
  events: Readonly<Record<string, () => Promise<void>>>,
): Promise<void> {
  await followText(await readFile(`${DOCS}${page}`, 'utf8'), shop, events);
}

async function followText(
  text: string,
  shop: Shop,
  events: Readonly<Record<string, () => Promise<void>>>,
): Promise<void> {
  const left = new Set(Object.keys(events));
  const shown: Record<string, string> = {};
  for (const line of linesOf(text)) {
    if (isEvent(line)) {
      const happens = events[line.event];
      if (happens === undefined) throw new Error(`the page has something new happen: ${line.event}`);
      left.delete(line.event);
      await happens();
      continue;
    }
    const variables = { ACTOR: 'anna@example.org', UNTIL, ID: shop.deadId, ...shown };
    const { args, promise } = filled(line, variables);
    const config = args.includes('--config') ? [] : ['--config', 'new/dispatcher.config.ts'];
    const environment = { WAYBILL_DATABASE_URL: shop.url };
    const { code, stdout, stderr } = await cli([...args, ...config], { directory: FOLDER, environment });
    for (const [name, pattern] of SHOWN) shown[name] = pattern.exec(stdout)?.[1] ?? shown[name] ?? '';
    const told = `waybill ${args.join(' ')}\n${stdout}${stderr}`;
    expect(promise, told).not.toBeNull();
    expect(code, told).toBe(promise?.code);
    expect(`${stdout}${stderr}`, told).toContain(promise?.word);
  }
  expect([...left], 'what the page does not mention').toEqual([]);
}

const isEvent = (line: CommandLine | Event): line is Event => 'event' in line;

test.each(['rollouts.md', 'runbooks/rollout.md', 'runbooks/rollback.md'])(
  'Q25 W34: %s names commands and options that there are',
  async (page) => {
    const text = await readFile(`${DOCS}${page}`, 'utf8');
    for (const [line, words = ''] of text.matchAll(
      /\bwaybill ((?:[a-z]+(?:-[a-z]+)*)(?: [a-z]+(?:-[a-z]+)*)?)[^`\n]*/g,
    )) {
      const { code, stdout } = await cli([...words.split(' '), '--help']);
      expect(code, line).toBe(0);
      expect(stdout, `${line} names a group, not a command`).not.toContain('Commands:');
      const options = [...line.matchAll(/ (--[a-z-]+)/g)].map(([, option = '']) => option);
      for (const option of options.filter((name) => !['--config', '--json'].includes(name)))
        expect(stdout, line).toContain(option);
    }
  },
);

describe('the rollout guide, with processes of two builds', () => {
  test('the manifests are those that the builds print', async () => {
    for (const build of ['old', 'new']) {
      const { stdout } = await waybill(['manifest', '--config', `../rollout/${build}/dispatcher.config.ts`]);
      const kept: unknown = JSON.parse(await readFile(`${FOLDER}${build}.json`, 'utf8'));
      expect(JSON.parse(stdout)).toEqual(kept);
    }
  });

  test('V05 W33: forward: readers, coverage, writers, drain, retirement, each gate refusing until it is so', async () => {
    await using shop = await Shop.open();
    await shop.startDispatcher('old');
    const old = await shop.startService('old');
    expect(await old.order('before')).toBe(1);
    await old.order('held', { total: 0 });
    await shop.dead(1);
    await old.order('held');
    await old.order('tomorrow', { dueAt: new Date(Date.now() + 86_400_000) });

    await follow('### Forward', shop, {
      'Start the dispatchers of shop@2.': () => shop.startDispatcher('new'),
      'A service of shop@2 comes too early.': async () => {
        const early = await shop.startService('new');
        expect(await early.order('early')).toBe(1);
        await early.stop();
      },
      'The dispatchers of shop@1 end.': () => shop.ended('old'),
      'Deploy the services of shop@2, and stop those of shop@1.': async () => {
        await old.stop();
        const service = await shop.startService('new');
        const versions = await Promise.all(Array.from({ length: 40 }, (_, n) => service.order(`c${String(n)}`)));
        expect(new Set(versions)).toEqual(new Set([1, 2]));
      },
      'What was held behind it is delivered, and what is due later comes due.': async () => {
        await shop.comesDue();
        await shop.allDelivered();
      },
    });
    expect(await shop.delivered('before')).toEqual([{ by: 'shop@1', attempt: 1 }]);
    expect(await shop.delivered('tomorrow')).toEqual([{ by: 'shop@2', attempt: 1 }]);
    const late = await shop.startService('old');
    await expect(late.order('late')).rejects.toMatchObject({ why: 'retired' });
  });

  test('V04 W34: back: refused while records of the newer version are dead, held or due later, and safe after that', async () => {
    await using shop = await Shop.open();
    await shop.startDispatcher('new');
    const service = await shop.startService('new');
    expect(await service.order('held', { total: 0 })).toBe(2);
    await shop.dead(1);
    await service.order('held');
    await service.order('tomorrow', { dueAt: new Date(Date.now() + 86_400_000) });

    await follow('### Back', shop, {
      'From now on the services of shop@2 write version 1.': async () => {
        expect(await service.order('held-back')).toBe(1);
      },
      'What was held behind it is delivered, and what is due later comes due.': async () => {
        await shop.comesDue();
        await shop.allDelivered();
      },
      'Start the dispatchers of shop@1.': () => shop.startDispatcher('old'),
      'The dispatchers of shop@2 end.': () => shop.ended('new'),
    });
    expect(await service.order('after')).toBe(1);
    await shop.allDelivered();
    expect(await shop.delivered('after')).toEqual([{ by: 'shop@1', attempt: 1 }]);
  });

  test('Q25 W33: every command of rollout.md does what the page says', async () => {
    await using shop = await Shop.open();
    await shop.startDispatcher('old');
    const old = await shop.startService('old');
    await old.order('before');
    await shop.allDelivered();
    await followPage('runbooks/rollout.md', shop, {
      'Start the dispatchers of shop@2.': () => shop.startDispatcher('new'),
      'The dispatchers of shop@1 end.': () => shop.ended('old'),
      'Deploy the services of shop@2, and stop those of shop@1.': async () => {
        await old.stop();
        await shop.startService('new');
      },
      'All is delivered.': () => shop.allDelivered(),
    });
  });

  test('W34: every command of rollback.md does what the page says, and nothing is lost on the way back', async () => {
    await using shop = await Shop.open();
    await shop.startDispatcher('new');
    const service = await shop.startService('new');
    expect(await service.order('tomorrow', { dueAt: new Date(Date.now() + 86_400_000) })).toBe(2);
    await followPage('runbooks/rollback.md', shop, {
      'What is in the way is delivered.': async () => {
        expect(await service.order('held-back')).toBe(1);
        await shop.comesDue();
        await shop.allDelivered();
      },
      'Start the dispatchers of shop@1.': () => shop.startDispatcher('old'),
      'The dispatchers of shop@2 end.': () => shop.ended('new'),
    });
    await service.order('after');
    await shop.allDelivered();
    expect(await shop.delivered('after')).toEqual([{ by: 'shop@1', attempt: 1 }]);
  });

  test('V01 I05: gone back without asking: what nobody reads waits, uses up nothing, and one instance takes it in order', async () => {
    await using shop = await Shop.open();
    await shop.startDispatcher('new');
    const service = await shop.startService('new');
    const tomorrow = new Date(Date.now() + 86_400_000);
    for (let n = 0; n < 3; n += 1) expect(await service.order('stranded', { dueAt: tomorrow })).toBe(2);
    await shop.stopDispatcher('new');
    await shop.startDispatcher('old');
    expect(await service.order('meanwhile')).toBe(1);
    await shop.comesDue();
    await expect.poll(() => shop.delivered('meanwhile')).toEqual([{ by: 'shop@1', attempt: 1 }]);

    await follow('### When somebody has gone back without asking', shop, {
      'Start the dispatchers of shop@2.': () => shop.startDispatcher('new'),
      'What waited is delivered.': () => shop.allDelivered(),
    });
    expect(await shop.delivered('stranded')).toEqual([
      { by: 'shop@2', attempt: 1 },
      { by: 'shop@2', attempt: 1 },
      { by: 'shop@2', attempt: 1 },
    ]);
  });
});

import { testDatabase } from '@waybill/local-postgres/vitest';
import { expect, test } from 'vitest';
import { cli } from '../../test/cli.ts';
import { DeadLetters } from '../../test/dead-letters.ts';

const PARCELS = ['--config', 'parcels.config.ts'];
const BY = ['--actor', 'ben@example.org', '--reason', 'ticket 17'];
const HOUR_MS = 3_600_000;

test('Q20: an operator overrides the red gate until a moment, with a name and a reason, audited', async () => {
  await using database = await testDatabase();
  const environment = { WAYBILL_DATABASE_URL: database.url };
  await using letters = await DeadLetters.open(database.url);
  // Red whatever evidence this build has.
  await letters.writeKeyless('red');
  const gate = () => cli(['gate', 'pull-worker', ...PARCELS, '--json'], { environment });
  const override = (aheadMs: number, ...by: readonly string[]) => {
    const until = new Date(Date.now() + aheadMs).toISOString();
    return cli(['gate', 'override', 'pull-worker', '--until', until, ...by, '--json'], { environment });
  };
  expect((await gate()).code).toBe(1);

  expect((await override(HOUR_MS)).code, 'nobody signs').toBe(2);
  expect((await override(-HOUR_MS, ...BY)).code, 'in the past').toBe(2);
  expect((await override(31 * 24 * HOUR_MS, ...BY)).code, 'too long').toBe(2);
  expect((await gate()).code, 'nothing was overridden').toBe(1);

  const done = await override(HOUR_MS, ...BY);
  expect(done).toMatchObject({ code: 0 });
  const after = await gate();
  expect(after.code).toBe(0);
  const { until } = done.document();
  expect(after.document()).toMatchObject({
    verdict: 'safe',
    override: { actor: 'ben@example.org', reason: 'ticket 17', until },
  });
  expect(await letters.rows('select action, actor from waybill.audit')).toEqual([
    { action: 'override-gate', actor: 'ben@example.org' },
  ]);
});

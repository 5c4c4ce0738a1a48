import { testDatabase } from '@waybill/local-postgres/vitest';
import { describe, expect, test } from 'vitest';
import { cli } from '../../test/cli.ts';
import { rows, send } from '../../test/database.ts';
import { NotifyOwner } from '../../test/parcels.ts';
import { RunningDispatcher } from '../../test/running-dispatcher.ts';

const BY = ['--actor', 'ben@example.org', '--reason', 'ticket 17'];
const BUILD = 'trouble@1.0.0';
const NOBODY = '00000000-0000-4000-8000-000000000000';

describe('waybill dispatchers drain', { timeout: 120_000 }, () => {
  test('O03 O04: a build is drained by the count that was shown: finished, signed off, exit code 0, audited', async () => {
    await using database = await testDatabase();
    const environment = { WAYBILL_DATABASE_URL: database.url };
    await using dispatcher = new RunningDispatcher('trouble.config.mjs', {
      ...environment,
      WAYBILL_LEASE_MS: '3000',
      WAYBILL_LEASE_RENEW_EVERY_MS: '300',
    });
    await dispatcher.line(({ msg }) => msg === 'draining begins');
    await send(database.url, NotifyOwner, { owner: 'o', text: 'calm' });
    await dispatcher.line(({ msg, text }) => msg === 'handling' && text === 'calm');

    const drain = (...args: readonly string[]) => cli(['dispatchers', 'drain', ...args, '--json'], { environment });
    const shown = (await drain(BUILD, '--dry-run')).document();
    expect(shown).toEqual({
      schema: 'waybill.cli/v1',
      status: 'dry-run',
      dispatchers: [{ id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown, build: BUILD }],
    });
    const moved = await drain(BUILD, '--expect-count', '2', ...BY);
    expect([moved.code, moved.document()]).toEqual([4, { ...shown, status: 'count-moved' }]);
    expect((await drain(NOBODY, ...BY)).code).toBe(3);
    expect(await rows(database.url, 'select action from waybill.audit')).toEqual([]);

    const asked = await drain(BUILD, '--expect-count', '1', ...BY);
    expect([asked.code, asked.document()]).toEqual([0, { ...shown, status: 'asked' }]);
    expect(await dispatcher.exitCode()).toBe(0);
    await dispatcher.line(({ msg }) => msg === 'draining: an operator has asked for it');
    expect(await dispatcher.line(({ msg }) => msg === 'drained')).toMatchObject({ complete: true, unsettled: 0 });
    expect(
      await rows(
        database.url,
        'select state, (select count(*)::integer from waybill.dispatcher where left_at is null) as present from waybill.record',
      ),
    ).toEqual([{ state: 'dispatched', present: 0 }]);
    expect(await rows(database.url, 'select actor, action, reason, what from waybill.audit')).toEqual([
      {
        actor: 'ben@example.org',
        action: 'drain-dispatchers',
        reason: 'ticket 17',
        what: { messages: [], selection: { build: BUILD } },
      },
    ]);
    expect((await drain(BUILD, '--expect-count', '1', ...BY)).code, 'gone').toBe(3);
  });

  test.each([[[BUILD, ...BY]], [[BUILD, '--expect-count', 'all', ...BY]], [[NOBODY, '--actor', 'ben']], [[...BY]]])(
    'O04: dispatchers drain %j is a wrong command line',
    async (args) => {
      expect(await cli(['dispatchers', 'drain', ...args])).toMatchObject({ code: 2, stdout: '' });
    },
  );

  test('O04: without a store it is exit code 69', async () => {
    const environment = { WAYBILL_DATABASE_URL: 'postgres://waybill@127.0.0.1:9/none' };
    expect((await cli(['dispatchers', 'drain', NOBODY, ...BY], { environment })).code).toBe(69);
  });
});

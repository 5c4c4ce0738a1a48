import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cli } from '../../test/cli.ts';
import { filled, linesOf } from '../../test/command-lines.ts';
import { Outbox } from '../../test/loop.ts';
import { NotifyOwner } from '../../test/parcels.ts';
import { RunningDispatcher } from '../../test/running-dispatcher.ts';

const PAGE = fileURLToPath(new URL('../../../../docs/runbooks/planned-stop.md', import.meta.url));
const QUICK = { WAYBILL_LEASE_MS: '5000', WAYBILL_LEASE_RENEW_EVERY_MS: '300' };

test('F012 O04: every command of planned-stop.md does what the page says, and the other instance goes on', async () => {
  const outbox = await Outbox.forTest();
  const environment = { WAYBILL_DATABASE_URL: outbox.url };
  const start = async (): Promise<RunningDispatcher> => {
    const dispatcher = new RunningDispatcher('parcels.config.ts', { ...environment, ...QUICK });
    await dispatcher.line(({ msg }) => msg === 'draining begins');
    return dispatcher;
  };
  await using stopping = await start();
  const [first] = await outbox.query('select id::text as id from waybill.dispatcher');
  await using staying = await start();
  const variables = { ACTOR: 'anna@example.org', INSTANCE: String(first?.['id']) };

  let events = 0;
  for (const line of linesOf(await readFile(PAGE, 'utf8'))) {
    if ('event' in line) {
      events += 1;
      expect(await stopping.exitCode()).toBe(0);
      continue;
    }
    const { args, promise } = filled(line, variables);
    const { code, stdout, stderr } = await cli([...args, '--config', 'parcels.config.ts'], { environment });
    expect([code, stdout + stderr]).toEqual([promise?.code, expect.stringContaining(promise?.word ?? 'a promise')]);
  }
  expect(events).toBe(1);
  await outbox.enqueue(NotifyOwner, { owner: 'a', text: 'hello' });
  await outbox.untilDispatched(1);
  staying.signal('SIGTERM');
  expect(await staying.exitCode()).toBe(0);
});

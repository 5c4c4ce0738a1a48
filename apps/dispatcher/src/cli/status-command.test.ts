import { testDatabase } from '@waybill/local-postgres/vitest';
import { leaveDispatcher, pause } from '@waybill/store';
import { expect, test } from 'vitest';
import { cli } from '../../test/cli.ts';
import { DeadLetters } from '../../test/dead-letters.ts';
import { moveWithoutKey, oldOutbox } from '../../test/generation-one.ts';

const BY = { actor: 'ben@example.org', reason: 'ticket 17' };

test('W27: status shows what waits, what failed, the success rate, the dispatchers and the pauses', async () => {
  await using database = await testDatabase();
  const environment = { WAYBILL_DATABASE_URL: database.url };
  await using letters = await DeadLetters.open(database.url);
  expect((await cli(['status'], { environment })).stdout).toMatch(/^success rate, last hour +no attempts/m);

  await letters.bury('dead');
  await letters.write('one', 'two', 'three');
  await letters.settleAll('dispatched');
  await letters.write('late', 'later');
  await pause(letters.store, { destination: 'moves' }, BY);

  expect((await cli(['status', '--json'], { environment })).document()).toEqual({
    schema: 'waybill.cli/v1',
    store: { status: 'ready' },
    pending: 2,
    processing: 0,
    failed: { dead: 1, retrying: 0 },
    oldestPendingSeconds: expect.any(Number) as unknown,
    heldKeys: 0,
    capped: false,
    lastHour: { accepted: 3, attempts: 4, successRate: 0.75 },
    waitingForReader: [],
    dispatchers: [expect.objectContaining({ id: letters.owner, build: 'parcels@test', contracts: 1 })],
    pauses: [expect.objectContaining({ ...BY, destination: 'moves', type: null })],
  });
  const { code, stdout } = await cli(['status'], { environment });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^pending +2$/m);
  expect(stdout).toMatch(/^failed +1 dead, 0 in retry$/m);
  expect(stdout).toMatch(/^success rate, last hour +75\.0 % \(3 of 4 attempts\)$/m);
  expect(stdout).toMatch(/^dispatchers +parcels@test$/m);
  expect(stdout).toMatch(/^paused +moves$/m);

  await leaveDispatcher(letters.store, letters.owner);
  const alone = (await cli(['status', '--json'], { environment })).document();
  expect(alone).toMatchObject({ dispatchers: [], waitingForReader: [{ type: 'parcels.weigh', version: 1, count: 2 }] });
});

test('W27: status says so when there are no tables, and when there is no store', async () => {
  await using database = await testDatabase({ empty: true });
  const absent = await cli(['status', '--json'], { environment: { WAYBILL_DATABASE_URL: database.url } });
  expect([absent.code, absent.document()['store']]).toEqual([5, expect.objectContaining({ status: 'absent' })]);
  // Nothing listens on the discard port.
  const without = { WAYBILL_DATABASE_URL: 'postgres://waybill@127.0.0.1:9/none' };
  expect((await cli(['status'], { environment: without })).code).toBe(69);
});

test('W27 Q07: on tables without record keys status shows the same numbers, says what they are and asks for the migration', async () => {
  const outbox = await oldOutbox();
  await moveWithoutKey(outbox, 'a', [1, 2]);
  const environment = { WAYBILL_DATABASE_URL: outbox.url };
  const shown = await cli(['status', '--json'], { environment });
  expect([shown.code, shown.document()]).toEqual([
    5,
    expect.objectContaining({
      store: expect.objectContaining({ status: 'behind' }),
      pending: 2,
      waitingForReader: [{ type: 'parcels.move', version: 2, count: 2 }],
      pauses: [],
    }),
  ]);
  const { code, stdout, stderr } = await cli(['status'], { environment });
  expect([code, stderr]).toEqual([5, '']);
  expect(stdout).toMatch(/^store +behind: tables without record keys, one batch drainer; see waybill schema doctor$/m);
  expect(stdout).toMatch(/^pending +2$/m);
});

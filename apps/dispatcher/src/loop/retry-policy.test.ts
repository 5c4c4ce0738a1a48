import { expect, test } from 'vitest';
import { Outbox, startLoop } from '../../test/loop.ts';
import { WeighParcel } from '../../test/parcels.ts';
import { call } from '../routes/call.ts';

const QUICK = { baseMs: 1, factor: 1, capMs: 1 };
const refuse = call(WeighParcel, () => {
  throw new Error('no scale');
});

test('W19 Q15: a dispatcher that is configured anew tries what is in flight by the policy that stands on it, and only the rest by its own', async () => {
  const outbox = await Outbox.forTest();
  const routes = { weigh: refuse };
  const random = (): number => 0.999;
  const flying = await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
  const before = startLoop(outbox, {
    routes,
    random,
    settings: { retry: { ...QUICK, maxAttempts: 3, baseMs: 60_000, capMs: 60_000 } },
  });
  await outbox.until((rows) => rows.every(({ attempt }) => attempt === 1));
  await before.dispatcher.drain();
  // Its rest of a minute is over.
  await outbox.query('update waybill.delivery set due_at = clock_timestamp() where due_at is not null');
  // The two tries that are left rest for as long as the first one.
  startLoop(outbox, { routes, random, settings: { retry: { ...QUICK, maxAttempts: 5 } } });
  const fresh = await outbox.enqueue(WeighParcel, { parcel: 'b', grams: 1 });
  await outbox.until((rows) => rows.some(({ id, state }) => id === fresh && state === 'dead-letter'));
  expect(await outbox.record(fresh)).toMatchObject({ attempt: 5 });
  const rest = `select attempt, due_at > clock_timestamp() + interval '1 second' as rests from waybill.delivery`;
  await expect.poll(() => outbox.query(rest)).toEqual([{ attempt: 2, rests: true }]);
  await outbox.query('update waybill.delivery set due_at = clock_timestamp() where due_at is not null');
  const rows = await outbox.until((all) => all.every(({ state }) => state === 'dead-letter'));
  expect(rows.find(({ id }) => id === flying)).toMatchObject({ attempt: 3 });
});

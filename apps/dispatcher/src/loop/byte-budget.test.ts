import { entry } from '@waybill/store';
import { expect, test } from 'vitest';
import { Outbox, startLoop } from '../../test/loop.ts';
import { NotifyOwner } from '../../test/parcels.ts';
import { ByteBudget } from './byte-budget.ts';
import { NO_OBSERVER } from './observer.ts';

const MIB = 1024 * 1024;
const payloads = (count: number, bytes: number) =>
  Array.from({ length: count }, () => ({ payload: 'x'.repeat(bytes) }));

test('F083: small payloads bound nothing; large ones leave room for as many as fit into 64 MiB with those that wait', () => {
  const budget = new ByteBudget();
  expect(budget.records(500, 0)).toBe(500);
  budget.learn(payloads(500, 300));
  expect(budget.records(500, 400)).toBe(500);
  budget.learn(payloads(2, 4 * MIB));
  expect([budget.records(500, 0), budget.records(500, 10), budget.records(500, 16)]).toEqual([16, 6, 0]);
});

test('F083: a payload above all bounds is claimed all the same, alone; small ones in a row are believed at last', () => {
  const budget = new ByteBudget();
  budget.learn(payloads(1, 100 * MIB));
  expect([budget.records(500, 0), budget.records(500, 1)]).toEqual([1, 0]);
  for (let claim = 0; claim < 100; claim += 1) budget.learn(payloads(1, 300));
  expect(budget.records(500, 0)).toBe(500);
});

test('F083: after a record of 15 MiB the next claim takes four, whatever they turn out to be', async () => {
  const outbox = await Outbox.forTest();
  const claims: number[] = [];
  const observer = {
    ...NO_OBSERVER,
    claimed: (records: number) => {
      if (records > 0) claims.push(records);
    },
  };
  const notices = (count: number, text: string) =>
    outbox.enqueueMany(Array.from({ length: count }, (_, n) => entry(NotifyOwner, { owner: `o${n}`, text })));
  startLoop(outbox, { observer });
  // Many that are quick, so that hundreds are worth claiming ahead.
  await notices(1_000, 't');
  await outbox.untilCount('waybill.dispatched', 1_000);
  expect(Math.max(...claims)).toBeGreaterThan(100);
  await notices(1, 'x'.repeat(15 * MIB));
  await outbox.untilCount('waybill.dispatched', 1_001);
  const before = claims.length;
  await notices(100, 't');
  await outbox.untilCount('waybill.dispatched', 1_101);
  expect(claims[before]).toBe(4);
});

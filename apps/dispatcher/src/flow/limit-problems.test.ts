import { expect, test } from 'vitest';
import { MoveParcel, NotifyOwner } from '../../test/parcels.ts';
import { call } from '../routes/call.ts';
import { limitProblems } from './limit-problems.ts';

const routes = [call(NotifyOwner, () => undefined), call(MoveParcel, () => undefined)];

test('O01: limits that fit are no problem', () => {
  expect(limitProblems({ [NotifyOwner.type]: { concurrency: 4, perSecond: 0.5 } }, routes)).toEqual([]);
});

test('O01: every problem with the limits is told at once', () => {
  const typo = `${NotifyOwner.type}x`;
  expect(limitProblems({ [typo]: { concurrency: 1.5, perSecond: 0, burst: 3 }, webhook: {} }, routes)).toEqual([
    `destinations.${typo}: no route leads there; did you mean ${NotifyOwner.type}?`,
    `destinations.${typo}.concurrency: expected a whole number of records from 1 to 1000, got 1.5`,
    `destinations.${typo}.perSecond: expected records per second above 0 and up to 1000000, got 0`,
    `destinations.${typo}.burst: no limit has this name; expected concurrency or perSecond`,
    `destinations.webhook: no route leads there; expected one of ${NotifyOwner.type}, ${MoveParcel.type}`,
  ]);
});

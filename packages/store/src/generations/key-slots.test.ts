import { expect, test } from 'vitest';
import type { TypedRecord } from '../claimer.ts';
import { type HandOutLimits, KeySlots, type Leased } from './key-slots.ts';

const LIMITS: HandOutLimits = { records: 10, runs: 10, runLength: 10, asks: new Set([1]), now: 100 };

function leased(position: number, { contractId = 1, dueAt = 0 } = {}): Leased {
  // Of a record the slots look at these two alone.
  return { record: { position: String(position), contractId } as TypedRecord, fence: '1', dueAt };
}

/** Places records of slot "k" unless said otherwise, and gives the positions that may be handed out. */
function place(slots: KeySlots, records: readonly Leased[], limits: Partial<HandOutLimits> = {}, slot = 'k'): string[] {
  const runs = new Map<string, Leased[]>();
  slots.place(new Map(records.map((record) => [record, slot])), { ...LIMITS, ...limits }, runs);
  slots.handOut(runs, 200);
  return [...runs.values()].flat().map(({ record }) => record.position);
}

const positions = (parked: readonly { readonly position: string }[]): string[] =>
  parked.map(({ position }) => position);

test('Q07 Q10: what waits, waits with all that follows it in its key, and is claimed anew when it may go', () => {
  const slots = new KeySlots();
  expect(place(slots, [leased(9), leased(10, { dueAt: 150 }), leased(11)])).toEqual(['9']);
  expect([slots.parked, slots.nextDueAt]).toEqual([2, 150]);
  expect(place(slots, [leased(12)], {}, 'other')).toEqual(['12']);
  const run = slots.runOf('9');
  if (run !== undefined) slots.end(run);
  slots.prune(101);
  expect(slots.unpark(LIMITS)).toEqual([]);
  expect(positions(slots.unpark({ ...LIMITS, now: 150 }))).toEqual(['10', '11']);
  expect(slots.parked).toBe(0);
});

test('Q07 Q10: a key has one run at a time, until it is over or its lease has run out', () => {
  const slots = new KeySlots();
  expect(place(slots, [leased(1), leased(2)], { runLength: 1 })).toEqual(['1']);
  expect(slots.unpark(LIMITS)).toEqual([]);
  expect(place(slots, [leased(3)])).toEqual([]);
  slots.prune(199);
  expect(slots.unpark(LIMITS)).toEqual([]);
  slots.prune(200);
  expect(positions(slots.unpark(LIMITS))).toEqual(['2', '3']);
});

test('Q07 Q18: a contract that is not asked for keeps its key; an elder that was committed late goes first', () => {
  const slots = new KeySlots();
  expect(place(slots, [leased(5, { contractId: 2 }), leased(6)])).toEqual([]);
  expect(place(slots, [leased(4)])).toEqual(['4']);
  expect(positions(slots.allParked())).toEqual(['5', '6']);
  slots.keepParked(({ position }) => position === '6');
  expect(slots.parked).toBe(1);
});

test('Q10: limits of records and runs put the rest aside', () => {
  const slots = new KeySlots();
  expect(place(slots, [leased(1)], { runs: 1 }, 'a')).toEqual(['1']);
  const runs = new Map<string, Leased[]>();
  slots.place(
    new Map([
      [leased(2), 'b'],
      [leased(3), 'c'],
      [leased(4), 'b'],
    ]),
    { ...LIMITS, runs: 1, records: 2 },
    runs,
  );
  expect([...runs.keys()]).toEqual(['b']);
  expect(slots.parked).toBe(1);
});

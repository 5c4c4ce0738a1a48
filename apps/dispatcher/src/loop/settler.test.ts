import type { Settlement, SettleResult } from '@waybill/store';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { heldRun, silentLogger } from '../../test/loop-parts.ts';
import { systemClock } from './clock.ts';
import { type HeldRun, RELEASE } from './held-run.ts';
import { IncidentLog } from './incident-log.ts';
import { Settler, type SettlerDeps } from './settler.ts';

type Load = ReturnType<SettlerDeps['load']>;
type Answer = (settlements: readonly Settlement[]) => Promise<readonly SettleResult[]>;

const settledAll: Answer = (settlements) =>
  Promise.resolve(settlements.map(({ head }) => ({ head, status: 'settled', keptHead: null })));
const failing = (code: string): Promise<never> => Promise.reject(Object.assign(new Error('store'), { code }));

/** Nothing is held beside what waits to be written. */
const NOTHING_ELSE: Load = { held: 0, hasBacklog: false };

/** A settler whose writes are answered by the given functions in turn, and from then on as settled. */
function settlerWith(...answers: readonly Answer[]) {
  return settlerUnder(() => NOTHING_ELSE, answers);
}

function settlerUnder(load: () => Load, answers: readonly Answer[] = []) {
  const writes: (readonly Settlement[])[] = [];
  const ended: HeldRun[] = [];
  const outages: unknown[] = [];
  const queue = [...answers];
  const stop = new AbortController();
  const settler = new Settler({
    write: (settlements) => {
      writes.push(settlements);
      return (queue.shift() ?? settledAll)(settlements);
    },
    onEnded: (run) => ended.push(run),
    onWritten: () => {},
    onOutage: (_operation, cause) => outages.push(cause),
    refusals: new IncidentLog('refused', silentLogger, systemClock),
    load,
    clock: systemClock,
    random: () => 0.5,
    signal: stop.signal,
  });
  return { settler, writes, ended, outages, stop };
}

/** An answer that is given when the test says so. */
function gate() {
  let open: (results: readonly SettleResult[]) => void = () => {};
  const answer: Answer = () => new Promise((resolve) => (open = resolve));
  return { answer, open: (results: readonly SettleResult[]) => open(results) };
}

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

describe('gathering', () => {
  const heads = (writes: readonly (readonly Settlement[])[]) => writes.map((write) => write.map(({ head }) => head));
  const keyless = (position: string): HeldRun => heldRun([position], Number.POSITIVE_INFINITY, 'owner', '');

  test('where other runs are in hand, a run without a key waits a little for their company, and no longer', async () => {
    const { settler, writes } = settlerUnder(() => ({ held: 16, hasBacklog: false }));
    settler.finish(keyless('1'), RELEASE);
    await vi.advanceTimersByTimeAsync(9);
    settler.finish(keyless('2'), RELEASE);
    expect(writes).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(heads(writes)).toEqual([['1', '2']]);
  });

  test.each<[string, Load, number, () => HeldRun]>([
    ['nothing else is in hand, so that no company can come', { held: 1, hasBacklog: false }, 1, () => keyless('1')],
    ['all that is in hand has ended', { held: 3, hasBacklog: false }, 3, () => keyless('1')],
    ['its key is free and workers may be too', { held: 16, hasBacklog: false }, 1, () => heldRun(['1'])],
    ['there are enough of them', { held: 1_000, hasBacklog: true }, 100, () => keyless('1')],
  ])('is over at once where %s', async (_why, load, count, run) => {
    const { settler, writes } = settlerUnder(() => load);
    for (let n = 1; n < count; n += 1) settler.finish(keyless(String(n + 1)), RELEASE);
    await vi.advanceTimersByTimeAsync(0);
    expect(writes).toEqual([]);
    settler.finish(run(), RELEASE);
    await vi.advanceTimersByTimeAsync(0);
    expect(heads(writes).flat()).toHaveLength(count);
  });

  test('a key waits like the others while workers have a backlog, and a run that goes on waits in any case', async () => {
    const { settler, writes } = settlerUnder(() => ({ held: 16, hasBacklog: true }));
    settler.finish(heldRun(['1']), RELEASE);
    const underWay = heldRun(['2', '3']);
    underWay.deliver('2');
    settler.progress(underWay);
    await vi.advanceTimersByTimeAsync(9);
    expect(writes).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(heads(writes)).toEqual([['1', '2']]);
  });

  test('somebody who waits for the writing ends it', async () => {
    const { settler, writes } = settlerUnder(() => ({ held: 16, hasBacklog: true }));
    settler.finish(keyless('1'), RELEASE);
    await vi.advanceTimersByTimeAsync(0);
    expect(writes).toEqual([]);
    await settler.idle();
    expect(heads(writes)).toEqual([['1']]);
  });

  test('nothing is written after the end, though something was gathering', async () => {
    const { settler, writes, stop } = settlerUnder(() => ({ held: 16, hasBacklog: true }));
    settler.finish(keyless('1'), RELEASE);
    await vi.advanceTimersByTimeAsync(0);
    stop.abort();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(writes).toEqual([]);
  });
});

describe('coalescing', () => {
  test('what finishes while a flush is under way is written together in the next one', async () => {
    const first = gate();
    const { settler, writes, ended } = settlerWith(first.answer);
    const runs = [heldRun(['1']), heldRun(['2']), heldRun(['3'])];
    settler.finish(runs[0] as HeldRun, RELEASE);
    await Promise.resolve();
    settler.finish(runs[1] as HeldRun, RELEASE);
    settler.finish(runs[2] as HeldRun, RELEASE);
    first.open([{ head: '1', status: 'settled', keptHead: null }]);
    await settler.idle();
    expect(writes.map((write) => write.map(({ head }) => head))).toEqual([['1'], ['2', '3']]);
    expect(ended).toEqual(runs);
  });

  test('a flush is bounded, finished runs come first and runs under way fill the room', async () => {
    const { settler, writes } = settlerWith();
    const underWay = heldRun(['9999', '10000']);
    underWay.deliver('9999');
    settler.progress(underWay);
    for (let position = 1; position <= 501; position += 1) settler.finish(heldRun([String(position)]), RELEASE);
    await settler.idle();
    expect(writes.map((write) => write.length)).toEqual([500, 2]);
    expect(writes[1]?.map(({ head, next }) => [head, next.then])).toEqual([
      ['501', 'release'],
      ['9999', 'keep'],
    ]);
  });

  test('F016: while the store takes nothing, there is room for two flushes and no more, and workers begin again as soon as there is', async () => {
    const store = gate();
    const { settler, writes } = settlerWith(store.answer);
    for (let position = 1; position <= 999; position += 1) settler.finish(heldRun([String(position)]), RELEASE);
    await settler.room();
    settler.finish(heldRun(['1000']), RELEASE);
    let hasRoom = false;
    const room = settler.room().then(() => {
      hasRoom = true;
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect([hasRoom, writes.length]).toEqual([false, 1]);
    store.open((writes[0] ?? []).map(({ head }) => ({ head, status: 'settled', keptHead: null })));
    await room;
    await settler.idle();
  });

  test('W23: one run is in one flush at a time, and the next names the head that the lease moved to', async () => {
    const first = gate();
    const { settler, writes } = settlerWith(first.answer);
    const run = heldRun(['1', '2', '3']);
    run.deliver('1');
    settler.progress(run);
    await Promise.resolve();
    run.deliver('2');
    settler.progress(run);
    run.deliver('3');
    settler.finish(run, RELEASE);
    first.open([{ head: '1', status: 'settled', keptHead: '2' }]);
    await settler.idle();
    expect(writes).toEqual([
      [{ head: '1', fence: '1', recordKey: 'Parcel/1', delivered: ['1'], next: { then: 'keep' } }],
      [{ head: '2', fence: '1', recordKey: 'Parcel/1', delivered: ['2', '3'], next: { then: 'release' } }],
    ]);
  });

  test('quiet() waits for the write that is under way', async () => {
    const first = gate();
    const { settler } = settlerWith(first.answer);
    const run = heldRun(['1', '2']);
    run.deliver('1');
    settler.progress(run);
    let quiet = false;
    const waiting = settler.quiet(run).then(() => (quiet = true));
    await Promise.resolve();
    expect(quiet).toBe(false);
    first.open([{ head: '1', status: 'settled', keptHead: '2' }]);
    await waiting;
    expect(run.head).toBe('2');
  });
});

describe('failures', () => {
  test('I02: a lost lease stops the run, and nothing more is written for it', async () => {
    const { settler, writes, ended } = settlerWith((settlements) =>
      Promise.resolve(settlements.map(({ head }) => ({ head, status: 'lease-lost' }))),
    );
    const run = heldRun(['1', '2']);
    run.deliver('1');
    settler.progress(run);
    await settler.idle();
    expect(run.signal.aborted).toBe(true);
    expect(ended).toEqual([run]);
    settler.finish(run, RELEASE);
    await settler.idle();
    expect(writes).toHaveLength(1);
  });

  test('a run whose rest could not be kept is stopped', async () => {
    const { settler } = settlerWith(settledAll);
    const run = heldRun(['1', '2']);
    run.deliver('1');
    settler.progress(run);
    await settler.idle();
    expect(run.isGone).toBe(true);
  });

  test('one record that the store refuses delays only itself: the flush is halved', async () => {
    const refuses: Answer = (settlements) =>
      settlements.some(({ head }) => head === '5') ? failing('22P05') : settledAll(settlements);
    const { settler, ended, writes } = settlerWith(...Array.from({ length: 40 }, () => refuses));
    for (let position = 1; position <= 8; position += 1) settler.finish(heldRun([String(position)]), RELEASE);
    await vi.advanceTimersByTimeAsync(0);
    expect(ended.map(({ head }) => head)).toEqual(['1', '2', '3', '4', '6', '7', '8']);
    expect(writes.map((write) => write.length)).toEqual([8, 4, 4, 2, 1, 1, 2]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ended.map(({ head }) => head)).toContain('5');
    expect(writes.filter((write) => write[0]?.head === '5')).toHaveLength(8 + 2);
  });

  test('a locked head is tried again until it is free', async () => {
    const { settler, writes, ended } = settlerWith(...Array.from({ length: 20 }, (): Answer => () => failing('55P03')));
    settler.finish(heldRun(['1']), RELEASE);
    await vi.advanceTimersByTimeAsync(120_000);
    await settler.idle();
    expect(ended).toHaveLength(1);
    expect(writes).toHaveLength(21);
  });

  test('F052, I10: an outage loses no settlement, is polled with a backoff and reported', async () => {
    const { settler, writes, outages, ended } = settlerWith(
      ...Array.from({ length: 10 }, (): Answer => () => failing('ECONNREFUSED')),
    );
    const run = heldRun(['1']);
    run.deliver('1');
    settler.finish(run, RELEASE);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(writes.length).toBeLessThan(9);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(outages).toHaveLength(10);
    expect(ended).toEqual([run]);
    expect(writes.at(-1)).toEqual([
      { head: '1', fence: '1', recordKey: 'Parcel/1', delivered: ['1'], next: { then: 'release' } },
    ]);
  });

  test('after the signal nothing is written', async () => {
    const { settler, writes, stop } = settlerWith(() => failing('ECONNREFUSED'));
    settler.finish(heldRun(['1']), RELEASE);
    await vi.advanceTimersByTimeAsync(1);
    stop.abort();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(writes).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

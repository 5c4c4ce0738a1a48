import { payloadOf } from '@waybill/contracts/testing';
import { testDatabase } from '@waybill/local-postgres/vitest';
import { type RolloutReport, type RolloutStep, simulateRollout, type WrittenMessage } from '@waybill/testkit';
import { afterAll, expect, test } from 'vitest';
import { RELEASES } from '../../test/simulation/releases.ts';
import { rolloutTarget } from './rollout-target.ts';

/** How many random schedules run, and the seed of the first; CI asks for hundreds. */
const SCHEDULES = Number(process.env['WAYBILL_SIMULATION_SCHEDULES'] ?? 25);
const FIRST = Number(process.env['WAYBILL_SIMULATION_SEED'] ?? 1);
/** A schedule takes a fifth of a second; this is what it may take on a busy machine. */
const SCHEDULE_MS = 10_000;

const database = await testDatabase({ empty: true });
const target = await rolloutTarget(database);
afterAll(async () => {
  await target[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const simulate = (schedule: readonly RolloutStep[] | number, seed: number = FIRST): Promise<RolloutReport> =>
  simulateRollout({ builds: RELEASES, schedule, seed, target, payload: payloadOf });

const ORDER = 'shop.order-placed';
const order = (written: Partial<WrittenMessage> = {}): WrittenMessage => ({
  ...{ message: 0, key: 'Sim/1', whenUnreadable: 'downcast', delayed: false },
  ...written,
});
const invoice = (written: Partial<WrittenMessage> = {}): WrittenMessage => order({ message: 1, ...written });
const enqueue = (...messages: readonly WrittenMessage[]): RolloutStep => ({ do: 'enqueue', service: 0, messages });
const work = (...answers: readonly ('accept' | 'retry' | 'refuse')[]): RolloutStep => ({
  ...{ do: 'work', dispatcher: 0, limit: 100 },
  answers,
});
const deploy = (build: string): RolloutStep => ({ do: 'deploy', build });
const serve = (build: string): RolloutStep => ({ do: 'start-service', build });
const pass = (ms: number): RolloutStep => ({ do: 'pass', ms });

test(`V10 V03 V04 V05 W32 W34: ${String(SCHEDULES)} random schedules from seed ${String(FIRST)} keep every invariant`, {
  timeout: SCHEDULES * SCHEDULE_MS,
}, async () => {
  const tally = new Map<string, number>();
  for (let seed = FIRST; seed < FIRST + SCHEDULES; seed += 1) {
    const report = await simulate(40, seed);
    expect(report.fault, JSON.stringify(report.fault)).toBeNull();
    for (const [what, count] of Object.entries(report.tally)) tally.set(what, (tally.get(what) ?? 0) + count);
  }
  // They were about something: every gate said yes and no. How a lease is lost has a schedule of its own below.
  const gates = ['writers', 'rollback', 'retire'].flatMap((gate) => [`${gate} safe`, `${gate} unsafe`]);
  for (const what of [...gates, 'retirement retired', 'rolled back', 'downcast', 'refused'])
    expect(tally.get(what) ?? 0, what).toBeGreaterThan(0);
});

/** Schedules that once broke an invariant, or that a break of the store has to break. */
const REGRESSIONS: Readonly<Record<string, readonly RolloutStep[]>> = {
  'a service that was refused once writes again when the older build is gone, however long it was silent': [
    ...[serve('shop@2'), deploy('shop@1'), enqueue(invoice({ whenUnreadable: 'refuse' }))],
    ...([{ do: 'stop', dispatcher: 0 }, deploy('shop@2'), pass(40_000)] as const),
    enqueue(invoice({ whenUnreadable: 'refuse' })),
  ],
  'a transaction that began before a rollback was declared, and was called safe, does not write past the declaration': [
    ...([serve('shop@3'), deploy('shop@3'), { do: 'begin', service: 0, isolation: 'repeatable read' }] as const),
    ...([
      { do: 'declare', build: 'shop@2' },
      { do: 'gate-rollback', build: 'shop@2' },
    ] as const),
    ...([
      { do: 'write', transaction: 0, ...order() },
      { do: 'commit', transaction: 0 },
    ] as const),
  ],
  'a dispatcher that registers what an open transaction was the first to write comes after it': [
    ...([serve('shop@2-broken'), { do: 'begin', service: 0, isolation: 'serializable' }] as const),
    { do: 'write', transaction: 0, ...invoice() },
    ...[deploy('shop@2'), work('accept')],
  ],
  'a version that an operator allows anyway keeps a rollback from being called safe': [
    ...([serve('shop@3'), deploy('shop@3'), { do: 'allow', type: ORDER, version: 3 }] as const),
    { do: 'roll-back', to: 'shop@2' },
    enqueue(order({ whenUnreadable: 'write-anyway' })),
  ],
  'a pin holds before anybody has registered or written the type': [
    serve('shop@3'),
    { do: 'pin', type: ORDER, version: 2, percent: 100 },
    enqueue(order(), order({ key: 'Sim/2' })),
  ],
  'a version is not called free while a transaction that has written it is open': [
    ...([serve('shop@1'), deploy('shop@2'), { do: 'begin', service: 0, isolation: 'read committed' }] as const),
    ...([
      { do: 'write', transaction: 0, ...order() },
      { do: 'gate-retire', type: ORDER, version: 1 },
    ] as const),
    { do: 'retire', type: ORDER, version: 1 },
  ],
  'dead letters and delayed records of a version keep it from being retired': [
    ...[serve('shop@1'), deploy('shop@2'), enqueue(order(), order({ key: 'Sim/2', delayed: true })), work('refuse')],
    ...([
      { do: 'gate-rollback', build: 'shop@3' },
      { do: 'retire', type: ORDER, version: 1 },
    ] as const),
    ...([pass(280_000), work('accept'), { do: 'retire', type: ORDER, version: 1 }] as const),
    ...([
      { do: 'discard', deadLetter: 0 },
      { do: 'retire', type: ORDER, version: 1 },
    ] as const),
  ],
  'a run stops before the record that its dispatcher cannot read, and nothing is counted for it': [
    ...([serve('shop@1'), serve('shop@2'), deploy('shop@2'), { do: 'stop', dispatcher: 0 }] as const),
    ...([
      enqueue(order()),
      { do: 'enqueue', service: 1, messages: [order()] },
      deploy('shop@1'),
      work(),
      pass(40_000),
    ] as const),
    ...[deploy('shop@2-broken'), work(), { ...work(), dispatcher: 1 } as RolloutStep, pass(280_000), work()],
  ],
  'a process that comes back late settles nothing that another has taken over': [
    ...[serve('shop@1'), deploy('shop@1'), enqueue(order(), order(), order())],
    ...([
      { do: 'take', dispatcher: 0, limit: 100, answers: ['accept'] },
      { do: 'pause', dispatcher: 0 },
    ] as const),
    ...([
      deploy('shop@2'),
      pass(80_000),
      work('accept', 'retry'),
      { do: 'resume', dispatcher: 0 },
      { do: 'drain' },
    ] as const),
  ],
  'a dead message holds its key through a replay by another build': [
    ...[serve('shop@1'), deploy('shop@1'), enqueue(invoice(), invoice(), order()), work('refuse')],
    ...([{ do: 'roll-back', to: 'shop@2' }, { do: 'replay', deadLetter: 0 }, { do: 'drain' }] as const),
  ],
};

test.each(Object.entries(REGRESSIONS))('V10: %s', async (name, schedule) => {
  const { fault, tally } = await simulate(schedule);
  expect(fault, JSON.stringify(fault)).toBeNull();
  if (name.includes('comes back late')) expect(tally['lease-lost']).toBe(1);
});

test('V10: the same seed gives the same run', async () => {
  const [one, two] = [await simulate(40, 17), await simulate(40, 17)];
  expect(one.tally).toEqual(two.tally);
});

test('V10: a store that breaks an invariant is found out, by the shortest schedule', async () => {
  // Every operator's discard is forgotten: what was given up lives on.
  const forgetful = { ...target, operator: { ...target.operator, discard: () => Promise.resolve(true) } };
  const schedule: readonly RolloutStep[] = [
    ...[serve('shop@1'), deploy('shop@2'), deploy('shop@1'), enqueue(order({ key: '' })), pass(40_000), work('refuse')],
    ...([
      { do: 'gate-writers', build: 'shop@1' },
      { do: 'discard', deadLetter: 0 },
    ] as const),
    { do: 'gate-retire', type: ORDER, version: 1 },
  ];
  const { fault } = await simulateRollout({
    builds: RELEASES,
    schedule,
    seed: 1,
    target: forgetful,
    payload: payloadOf,
  });
  expect(fault).toMatchObject({ seed: 1, invariant: 'gate' });
  expect(fault?.schedule.map((step) => step.do)).toEqual([
    'start-service',
    'deploy',
    'enqueue',
    'work',
    'discard',
    'gate-retire',
  ]);
});

import type { SimulatedBuild } from './build.ts';
import { type Random, seededRandom } from './random.ts';
import type { RolloutStep, TargetAnswer, WrittenMessage } from './step.ts';
import type { Isolation } from './target.ts';

/** Few keys, so that messages meet; one of them is none. */
const KEYS = ['Sim/1', 'Sim/2', 'Sim/3', 'Sim/4', ''] as const;
/** Within a lease; past it; past every silence that the registry puts up with; past every declaration. */
const PASSAGES_MS = [40_000, 80_000, 280_000, 3_600_000] as const;
const ISOLATIONS: readonly [Isolation, ...Isolation[]] = ['read committed', 'repeatable read', 'serializable'];
const POLICIES = ['downcast', 'downcast', 'downcast', 'refuse', 'write-anyway'] as const;

type Draw = (random: Random, builds: Named) => RolloutStep;

/** What schedules may name. */
interface Named {
  readonly builds: readonly [string, ...string[]];
  readonly versions: readonly [TypeAndVersion, ...TypeAndVersion[]];
}
interface TypeAndVersion {
  readonly type: string;
  readonly version: number;
}

const answers = (random: Random): readonly TargetAnswer[] =>
  Array.from({ length: 4 }, () => random.pick(['accept', 'accept', 'accept', 'accept', 'retry', 'refuse'] as const));
const limit = (random: Random): number => random.pick([1, 3, 100, 100] as const);
const message = (random: Random): WrittenMessage => ({
  message: random.integer(8),
  key: random.pick(KEYS),
  whenUnreadable: random.pick(POLICIES),
  delayed: random.chance(0.1),
});

/** How often a step comes, out of all of them. */
const STEPS: readonly (readonly [number, Draw])[] = [
  [8, (random, { builds }) => ({ do: 'deploy', build: random.pick(builds) })],
  [5, (random) => ({ do: 'stop', dispatcher: random.integer(8) })],
  [3, (random) => ({ do: 'crash', dispatcher: random.integer(8) })],
  [6, (random) => ({ do: 'pause', dispatcher: random.integer(8) })],
  [6, (random) => ({ do: 'resume', dispatcher: random.integer(8) })],
  [16, (random) => ({ do: 'work', dispatcher: random.integer(8), limit: limit(random), answers: answers(random) })],
  [12, (random) => ({ do: 'take', dispatcher: random.integer(8), limit: limit(random), answers: answers(random) })],
  [6, (random) => ({ do: 'settle', dispatcher: random.integer(8) })],
  [4, () => ({ do: 'drain' })],
  [7, (random, { builds }) => ({ do: 'start-service', build: random.pick(builds) })],
  [2, (random) => ({ do: 'stop-service', service: random.integer(8) })],
  [
    30,
    (random) => ({
      do: 'enqueue',
      service: random.integer(8),
      messages: Array.from({ length: 1 + random.integer(4) }, () => message(random)),
    }),
  ],
  [4, (random) => ({ do: 'begin', service: random.integer(8), isolation: random.pick(ISOLATIONS) })],
  [8, (random) => ({ do: 'write', transaction: random.integer(8), ...message(random) })],
  [5, (random) => ({ do: 'commit', transaction: random.integer(8) })],
  [1, (random) => ({ do: 'abort', transaction: random.integer(8) })],
  [9, (random) => ({ do: 'pass', ms: random.pick(PASSAGES_MS) })],
  [5, (random) => ({ do: 'replay', deadLetter: random.integer(8) })],
  [2, (random) => ({ do: 'discard', deadLetter: random.integer(8) })],
  [3, (random, { builds }) => ({ do: 'declare', build: random.pick(builds) })],
  [2, (random) => ({ do: 'withdraw', declaration: random.integer(8) })],
  [2, (random, { versions }) => ({ do: 'pin', ...random.pick(versions), percent: random.pick([0, 40, 100] as const) })],
  [2, (random, { versions }) => ({ do: 'unpin', type: random.pick(versions).type })],
  [1, (random, { versions }) => ({ do: 'allow', ...random.pick(versions) })],
  [4, (random, { builds }) => ({ do: 'gate-writers', build: random.pick(builds) })],
  [4, (random, { builds }) => ({ do: 'gate-rollback', build: random.pick(builds) })],
  [3, (random, { versions }) => ({ do: 'gate-retire', ...random.pick(versions) })],
  [4, (random, { versions }) => ({ do: 'retire', ...random.pick(versions) })],
  [3, (random, { builds }) => ({ do: 'roll-back', to: random.pick(builds) })],
];

const WEIGHT: number = STEPS.reduce((sum, [weight]) => sum + weight, 0);

/** A schedule that follows from its seed: something runs and something writes, and then anything may happen. */
export function randomSchedule(builds: readonly SimulatedBuild[], seed: number, steps: number): readonly RolloutStep[] {
  const random = seededRandom(seed);
  const [first, ...others] = builds;
  const [version, ...versions] = builds.flatMap(({ contracts }) =>
    contracts.flatMap(({ messages }) =>
      messages.flatMap(({ type, versions: all }) =>
        Object.keys(all).map((number) => ({ type, version: Number(number) })),
      ),
    ),
  );
  if (first === undefined || version === undefined)
    throw new TypeError('builds: expected at least one, with at least one message');
  const named: Named = { builds: [first.build, ...others.map(({ build }) => build)], versions: [version, ...versions] };
  const start: readonly RolloutStep[] = [
    { do: 'start-service', build: random.pick(named.builds) },
    { do: 'deploy', build: random.pick(named.builds) },
  ];
  // Now and then somebody writes before anybody reads.
  const begun = random.chance(0.2) ? start.slice(0, 1) : start;
  return [...begun, ...Array.from({ length: Math.max(0, steps - begun.length) }, () => draw(random, named))];
}

function draw(random: Random, named: Named): RolloutStep {
  let place = random.integer(WEIGHT);
  for (const [weight, step] of STEPS) {
    place -= weight;
    if (place < 0) return step(random, named);
  }
  return { do: 'drain' };
}

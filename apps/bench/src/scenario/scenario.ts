import type { LocalPostgres } from '@waybill/local-postgres';
import { BROKER_NAMES } from '../broker/broker.ts';

/** In the order of their ids, P01 to P13, and then the brokers, by the names of their transports. */
export const SCENARIO_NAMES = [
  'enqueue',
  'drain',
  'keyed',
  'hot',
  'stuck',
  'backlog',
  'held',
  'latency',
  'idle',
  'wal',
  'limit',
  'read',
  'scale',
  ...BROKER_NAMES,
] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

/** `full` has the sizes of the targets, `short` a fifth of them and fewer rounds, `quick` checks correctness in seconds, `tiny` is for tests. */
export type Size = 'full' | 'short' | 'quick' | 'tiny';

/** What the scenarios of one run share. */
export interface Bench {
  readonly server: LocalPostgres;
  readonly size: Size;
  /** Where installed brokers are looked for, as in `PATH`. */
  readonly searchPath: string;
  readonly now: () => number;
  /** CPU milliseconds of this process so far. */
  readonly cpuMs: () => number;
  readonly say: (line: string) => void;
}

export type Target = { readonly atMost: number } | { readonly atLeast: number };

/** One figure of ours, beside those of others. */
export interface Measure {
  readonly label: string;
  readonly value: number;
  readonly unit: string;
  readonly peers: Readonly<Record<string, number>>;
  /** What the target is about; the value itself where nothing stands beside it. */
  readonly ratio: number;
  /** What the ratio compares with. */
  readonly against: string;
  /** Null: shown for its own sake. */
  readonly target: Target | null;
  /** How far apart the rounds of our own figure were, in medians. */
  readonly spread?: number;
}

export interface Findings {
  /** The first one is what the scenario is known for. */
  readonly measures: readonly [Measure, ...Measure[]];
  /** What must not be: something lost, out of order, a deadlock. Empty when all is well. */
  readonly faults: readonly string[];
}

export interface Scenario {
  readonly name: ScenarioName;
  readonly title: string;
  run(bench: Bench): Promise<Findings>;
}

export function isMet({ ratio, target }: Pick<Measure, 'ratio' | 'target'>): boolean {
  if (target === null) return true;
  return 'atMost' in target ? ratio <= target.atMost : ratio >= target.atLeast;
}

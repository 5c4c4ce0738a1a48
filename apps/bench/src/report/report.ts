import { BROKER_NAMES } from '../broker/broker.ts';
import {
  type Findings,
  isMet,
  type Measure,
  SCENARIO_NAMES,
  type ScenarioName,
  type Target,
} from '../scenario/scenario.ts';

/** Where and with what the figures were measured. */
export interface Setting {
  readonly machine: Readonly<Record<string, string | number>>;
  readonly versions: Readonly<Record<string, string>>;
  readonly server: Readonly<Record<string, string>>;
  readonly date: string;
}

/** One scenario as the JSON file has it: its first measure on top, all of them below. */
export interface ScenarioResult {
  readonly id: string;
  readonly name: ScenarioName;
  readonly title: string;
  readonly value: number;
  readonly unit: string;
  readonly peers: Readonly<Record<string, number>>;
  readonly ratio: number;
  readonly target: Target | null;
  /** Of every measure. */
  readonly met: boolean;
  readonly measures: readonly (Measure & { readonly met: boolean })[];
  readonly faults: readonly string[];
}

export interface Report extends Setting {
  readonly scenarios: readonly ScenarioResult[];
}

export function resultOf(name: ScenarioName, title: string, { measures, faults }: Findings): ScenarioResult {
  const [{ value, unit, peers, ratio, target }] = measures;
  const judged = measures.map((measure) => ({ ...measure, met: isMet(measure) }));
  return {
    id: idOf(name),
    name,
    title,
    value,
    unit,
    peers,
    ratio,
    target,
    met: judged.every(({ met }) => met),
    measures: judged,
    faults,
  };
}

export function idOf(name: ScenarioName): string {
  // Brokers belong to the requirement about transports.
  if (BROKER_NAMES.some((broker) => broker === name)) return 'T01';
  return `P${String(SCENARIO_NAMES.indexOf(name) + 1).padStart(2, '0')}`;
}

/** A number as people read it: three digits, or whole and grouped from a thousand on. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '-';
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
}

export function targetText(target: Target | null): string {
  if (target === null) return '';
  return 'atMost' in target ? `at most ${figure(target.atMost)}` : `at least ${figure(target.atLeast)}`;
}

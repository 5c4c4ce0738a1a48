import { type Report, resultOf, type ScenarioResult, type Setting } from './report/report.ts';
import { verdictLine } from './report/verdict-line.ts';
import type { Bench, Findings, ScenarioName } from './scenario/scenario.ts';
import { SCENARIOS } from './scenario/scenarios.ts';

export interface RunOptions {
  readonly setting: Setting;
  readonly onReport: (report: Report) => Promise<void>;
}

/**
 * Runs scenarios one after the other, and reports after each of them what there is so far. One that breaks is a fault of its own and does not
 * stop the rest.
 */
export async function runScenarios(
  names: readonly ScenarioName[],
  bench: Bench,
  { setting, onReport }: RunOptions,
): Promise<Report> {
  const scenarios: ScenarioResult[] = [];
  for (const name of names) {
    const { title } = SCENARIOS[name];
    const startedAt = bench.now();
    bench.say(`${name}: ${title}`);
    const findings = await findingsOf(name, bench);
    if (findings.status === 'broken') {
      scenarios.push(brokenResult(name, title, findings.reason));
    } else {
      scenarios.push(resultOf(name, title, findings.findings));
    }
    const result = scenarios.at(-1);
    if (result !== undefined) bench.say(verdictLine(result, (bench.now() - startedAt) / 1_000));
    await onReport({ ...setting, scenarios: [...scenarios] });
  }
  return { ...setting, scenarios };
}

type Ended =
  | { readonly status: 'done'; readonly findings: Findings }
  | { readonly status: 'broken'; readonly reason: string };

async function findingsOf(name: ScenarioName, bench: Bench): Promise<Ended> {
  try {
    return { status: 'done', findings: await SCENARIOS[name].run(bench) };
  } catch (error) {
    return { status: 'broken', reason: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function brokenResult(name: ScenarioName, title: string, reason: string): ScenarioResult {
  const nothing = {
    label: 'broken',
    value: Number.NaN,
    unit: '',
    peers: {},
    ratio: Number.NaN,
    against: 'itself',
    target: null,
  } as const;
  return { ...resultOf(name, title, { measures: [nothing], faults: [`${name}: ${reason}`] }), met: false };
}

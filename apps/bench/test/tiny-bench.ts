/** A run of the benchmark as small as it gets, on the server of the tests. Times mean nothing here: what is counted does. */
import { inject } from 'vitest';
import { processMeter } from '../src/process/edge.ts';
import type { Bench, Findings, Measure, ScenarioName } from '../src/scenario/scenario.ts';
import { SCENARIOS } from '../src/scenario/scenarios.ts';

/** Each scenario starts a dozen processes, on a machine that may be busy. */
export const PATIENCE_MS = 240_000;

/** On the server of the tests, unless what is counted is counted by the server as a whole. */
export function tinyBench(server?: Bench['server']): Bench {
  const { url } = inject('testServer');
  const { now, cpuMs } = processMeter(process, performance);
  return {
    server: server ?? { url, pid: undefined, stop: () => Promise.resolve() },
    size: 'tiny',
    searchPath: process.env['PATH'] ?? '',
    now,
    cpuMs,
    say: () => undefined,
  };
}

export function runTiny(name: ScenarioName, bench: Bench = tinyBench()): Promise<Findings> {
  return SCENARIOS[name].run(bench);
}

export function measureOf({ measures }: Findings, label: string): Measure {
  const found = measures.find((measure) => measure.label.includes(label));
  if (found === undefined)
    throw new Error(`no measure is called ${label}: ${measures.map((measure) => measure.label).join('; ')}`);
  return found;
}

import { figure, type ScenarioResult, targetText } from './report.ts';

/** What a scenario came to, for the terminal. */
export function verdictLine({ id, measures, faults }: ScenarioResult, seconds: number): string {
  const lines = measures.map(
    ({ label, value, unit, ratio, against, target, met }) =>
      `  ${id} ${label}: ${figure(value)} ${unit}${against === 'itself' ? '' : `, ${figure(ratio)} of ${against}`}${
        target === null ? '' : ` (${targetText(target)}: ${met ? 'met' : 'NOT met'})`
      }`,
  );
  return [...lines, ...faults.map((fault) => `  FAULT ${fault}`), `  ${seconds.toFixed(0)} s`].join('\n');
}

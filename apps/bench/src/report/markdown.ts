import { type ContenderName, PROFILES } from '../contender/contenders.ts';
import { figure, type Report, targetText } from './report.ts';

/** The report as a page: where it was measured, a row a figure, and what each contender gives up. */
export function markdownOf(report: Report): string {
  const { machine, versions, server, date } = report;
  return [
    `Measured ${date} on ${listed(machine)}. Versions: ${listed(versions)}. PostgreSQL settings: ${listed(server)}.`,
    '![Messages a second and ratios](./results.svg)',
    table(['id', 'scenario', 'Waybill', 'beside', 'ratio', 'target', 'met'], rowsOf(report)),
    'What each of them gives up, and how it is configured here:',
    table(['', 'configuration', 'gives up'], profileRows()),
  ]
    .join('\n\n')
    .concat('\n');
}

/** A row a scenario, for those who want to know how it stands: its first measure, and how many of its targets are met. */
export function summaryOf(report: Report): string {
  const rows = report.scenarios.map(({ id, title, measures }) => {
    const [first] = measures;
    const targets = measures.filter(({ target }) => target !== null);
    const met = targets.filter((measure) => measure.met).length;
    return [
      id,
      title,
      first === undefined ? '' : `${first.label}: ${figure(first.value)} ${first.unit}`,
      first === undefined || first.against === 'itself' ? '' : `${figure(first.ratio)} of ${first.against}`,
      targetText(first?.target ?? null),
      `${met} of ${targets.length}`,
    ];
  });
  const { machine, versions, date } = report;
  return [
    `Measured ${date} on ${listed(machine)}; ${listed(versions)}.`,
    table(['', 'what', 'Waybill', 'beside', 'target', 'targets met'], rows),
  ]
    .join('\n\n')
    .concat('\n');
}

function rowsOf({ scenarios }: Report): readonly (readonly string[])[] {
  return scenarios.flatMap(({ id, name, measures }) =>
    measures.map(({ label, value, unit, peers, ratio, against, target, met, spread }) => [
      id,
      `\`${name}\`: ${label}`,
      `${figure(value)} ${unit}${spread === undefined ? '' : ` (spread ${figure(100 * spread)} %)`}`,
      Object.entries(peers)
        .map(([peer, peerValue]) => `${peer} ${figure(peerValue)}`)
        .join(', '),
      against === 'itself' ? '' : `${figure(ratio)} of ${against}`,
      targetText(target),
      target === null ? '' : met ? 'yes' : '**no**',
    ]),
  );
}

function profileRows(): readonly (readonly string[])[] {
  const names = Object.keys(PROFILES) as ContenderName[]; // Object.keys forgets the keys' type.
  return names.map((name) => [name, PROFILES[name].configuration, PROFILES[name].givesUp]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function listed(facts: Readonly<Record<string, string | number>>): string {
  return Object.entries(facts)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

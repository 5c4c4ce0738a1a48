import { count } from './figures.ts';
import { type Findings, problemsOf } from './result.ts';
import type { Style } from './style.ts';

/** The end of the story for a reader. */
export function summaryOf(findings: Findings, style: Style): string {
  const { reconciliation: ledger } = findings;
  const rows: readonly (readonly [string, number, string])[] = [
    ['committed by the services', ledger.enqueued, `on ${count(findings.recordKeys)} record keys`],
    [
      'accepted by their targets',
      ledger.delivered,
      `the receiver answered 500 another ${count(findings.hiccups)} times`,
    ],
    ['rolled back on purpose', findings.rolledBack, `${count(ledger.phantoms.length)} of them delivered`],
    ['lost', ledger.lost.length, ''],
    ['out of order', ledger.outOfOrder.length, 'first acceptances, per record key'],
    ['duplicates', ledger.duplicates, 'at least once means that a crash may repeat a delivery'],
    ['waited for a reader', findings.waitedForReader, 'written in version 2 while only the older build lived'],
    ['claims of unreadable records', findings.claims.unreadable, `of ${count(findings.claims.total)} claimed records`],
    ['dead letters', findings.deadLetters, ''],
  ];
  const problems = problemsOf(findings);
  return [
    '',
    style.bold(`What was committed and what arrived (${(findings.ms / 1000).toFixed(1)} s)`),
    ...rows.map(([what, figure, remark]) =>
      `  ${what.padEnd(30)}${count(figure).padStart(7)}  ${style.dim(remark)}`.trimEnd(),
    ),
    ...(problems.length === 0
      ? [style.good('Nothing was lost, nothing came out of order, and no build touched what it could not read.')]
      : problems.map((problem) => style.bad(problem))),
    '',
  ].join('\n');
}

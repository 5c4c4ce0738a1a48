import type { Reconciliation } from '../ledger/reconcile.ts';

/** The last line of standard output: exactly these members. */
export interface DemoResult {
  /** Distinct messages that were committed. */
  readonly enqueued: number;
  /** Distinct messages that their target accepted. */
  readonly delivered: number;
  /** Messages of transactions that were rolled back. */
  readonly rolledBack: number;
  /** Acceptances beyond the first. */
  readonly duplicates: number;
  readonly lost: number;
  readonly outOfOrder: number;
  /** Claims of records that the claimer cannot read. */
  readonly unreadableClaims: number;
  /** Records that waited because no live build could read them. */
  readonly waitedForReader: number;
  readonly deadLetters: number;
  /** How long the story took, in milliseconds. */
  readonly ms: number;
}

/** What the result is made of. */
export interface Findings {
  readonly reconciliation: Reconciliation;
  readonly rolledBack: number;
  readonly deadLetters: number;
  readonly claims: { readonly total: number; readonly unreadable: number };
  readonly waitedForReader: number;
  /** Requests with a signature that the receiver did not accept. */
  readonly forged: number;
  /** Requests that the receiver answered with 500 on purpose. */
  readonly hiccups: number;
  readonly recordKeys: number;
  readonly ms: number;
}

export function resultOf({ reconciliation, ...findings }: Findings): DemoResult {
  return {
    enqueued: reconciliation.enqueued,
    delivered: reconciliation.delivered,
    rolledBack: findings.rolledBack,
    duplicates: reconciliation.duplicates,
    lost: reconciliation.lost.length,
    outOfOrder: reconciliation.outOfOrder.length,
    unreadableClaims: findings.claims.unreadable,
    waitedForReader: findings.waitedForReader,
    deadLetters: findings.deadLetters,
    ms: Math.round(findings.ms),
  };
}

/** What is wrong with a result, in words; nothing when the story ended as it should. */
export function problemsOf(findings: Findings): readonly string[] {
  const { lost, outOfOrder, phantoms } = findings.reconciliation;
  const checks: readonly (readonly [boolean, string])[] = [
    [lost.length > 0, `${lost.length} committed messages were lost: ${sample(lost)}`],
    [
      outOfOrder.length > 0,
      `${outOfOrder.length} messages came after a younger one of their key: ${sample(outOfOrder)}`,
    ],
    [phantoms.length > 0, `${phantoms.length} messages were delivered that nobody committed: ${sample(phantoms)}`],
    [findings.claims.unreadable > 0, `${findings.claims.unreadable} claims took a record that the claimer cannot read`],
    [findings.waitedForReader === 0, 'no record had to wait for a reader, so the rollback proved nothing'],
    [findings.forged > 0, `${findings.forged} requests had no valid signature`],
  ];
  return checks.filter(([wrong]) => wrong).map(([, words]) => words);
}

/** Enough ids to begin a search with. */
function sample(ids: readonly string[]): string {
  return `${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ', ...' : ''}`;
}

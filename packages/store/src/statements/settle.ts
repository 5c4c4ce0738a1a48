import type { DeadLetterReason } from '@waybill/contracts';

import type { Executor, Value } from '../executor.ts';
import { textOf, textOrNull } from '../row.ts';
import type { Store } from '../store.ts';

/** What becomes of the first record of a run that was not delivered. */
export type Next =
  /** The lease moves on to it; the run goes on. */
  | { readonly then: 'keep' }
  /** It goes back, with the rest of the run, and no attempt is counted. */
  | { readonly then: 'release'; readonly delayMs?: number }
  /** An attempt is counted, and it waits. */
  | {
      readonly then: 'retry';
      readonly delayMs: number;
      readonly error: string;
      /** The retry policy that applied, by its id. The record keeps the first one it is given. */
      readonly policyId?: number;
    }
  /** An attempt is counted, and it is the last one. What follows in the key wakes. */
  | {
      readonly then: 'dead-letter';
      readonly position: string;
      readonly reason: DeadLetterReason;
      readonly error: string;
    };

/** The end of attempts in one run. */
export interface Settlement {
  readonly head: string;
  readonly fence: string;
  /** The key of the run. Where it is known to be empty, an accepted record is settled in a shorter way; left out, it may be any. */
  readonly recordKey?: string;
  /** Positions that their target accepted: the first records of the run, without a gap. */
  readonly delivered: readonly string[];
  /** Ignored when nothing of the run is left. */
  readonly next: Next;
}

export type SettleResult =
  /** `keptHead`: the position that carries the lease now, under the same fence; null when the run is over. */
  | { readonly head: string; readonly status: 'settled'; readonly keptHead: string | null }
  /** Somebody else has taken the run over; nothing was written. */
  | { readonly head: string; readonly status: 'lease-lost' };

// The half that has nothing to do is left out: to call it costs more than the settlement of a record.
const runsText = (schema: string): string => `
select head::text as head, kept_head::text as kept_head
from ${schema}.settle($1::uuid, $2::text::bigint[], $3::text::bigint[], $4::text::text[], $5::text::bigint[], $6::text[], $7::integer[], $8::text::bigint[], $9::text::bigint[], $10::text[], $11::text[])`;
const acceptedText = (schema: string, positions: string, fences: string): string => `
select head::text as head, null as kept_head from ${schema}.settle_accepted($1::uuid, ${positions}::text::bigint[], ${fences}::text::bigint[]) head`;

/** Settles many runs in one statement. Gives one result per settlement, in their order. */
export async function settle(
  executor: Executor,
  store: Store,
  owner: string,
  settlements: readonly Settlement[],
): Promise<readonly SettleResult[]> {
  if (settlements.length === 0) return [];
  const accepted = settlements.filter(isAcceptedAlone);
  const runs = accepted.length === settlements.length ? [] : settlements.filter((one) => !isAcceptedAlone(one));
  const rows = await executor.query(...statementOf(store.quoted, owner, runs, accepted));
  const keptHeads = new Map(rows.map((row) => [textOf(row, 'head'), textOrNull(row, 'kept_head')]));
  return settlements.map(({ head }) => {
    const keptHead = keptHeads.get(head);
    return keptHead === undefined ? { head, status: 'lease-lost' } : { head, status: 'settled', keptHead };
  });
}

function statementOf(
  schema: string,
  owner: string,
  runs: readonly Settlement[],
  accepted: readonly Settlement[],
): readonly [text: string, values: readonly Value[]] {
  const acceptedValues = [arrayText(accepted.map(({ head }) => head)), arrayText(accepted.map(({ fence }) => fence))];
  if (runs.length === 0) return [acceptedText(schema, '$2', '$3'), [owner, ...acceptedValues]];
  const runsValues = [owner, ...valuesOf(runs)];
  if (accepted.length === 0) return [runsText(schema), runsValues];
  return [`${runsText(schema)} union all ${acceptedText(schema, '$12', '$13')}`, [...runsValues, ...acceptedValues]];
}

function valuesOf(runs: readonly Settlement[]): readonly Value[] {
  const ended = runs.flatMap(endedRecords);
  return [
    arrayText(runs.map(({ head }) => head)),
    arrayText(runs.map(({ fence }) => fence)),
    arrayText(runs.map(({ next }) => (next.then === 'dead-letter' ? 'release' : next.then))),
    arrayText(runs.map(({ next }) => delayOf(next))),
    runs.map(({ next }) => (next.then === 'retry' ? next.error : null)),
    runs.map(({ next }) => (next.then === 'retry' ? (next.policyId ?? null) : null)),
    arrayText(ended.map(({ position }) => position)),
    arrayText(ended.map(({ head }) => head)),
    ended.map(({ reason }) => reason),
    ended.map(({ error }) => error),
  ];
}

/** A record without a key is a run of its own: once it is accepted, nothing is left and nothing follows. */
function isAcceptedAlone({ recordKey, head, delivered, next }: Settlement): boolean {
  return recordKey === '' && next.then !== 'dead-letter' && delivered.length === 1 && delivered[0] === head;
}

/** Numbers and words that need no quotes, as PostgreSQL writes an array: drivers would look at every letter of them. */
function arrayText(values: readonly (string | number)[]): string {
  return `{${values.join(',')}}`;
}

interface EndedRecord {
  readonly head: string;
  readonly position: string;
  readonly reason: DeadLetterReason | null;
  readonly error: string | null;
}

function endedRecords({ head, delivered, next }: Settlement): EndedRecord[] {
  const ended: EndedRecord[] = delivered.map((position) => ({ head, position, reason: null, error: null }));
  if (next.then === 'dead-letter')
    ended.push({ head, position: next.position, reason: next.reason, error: next.error });
  return ended;
}

function delayOf(next: Next): number {
  switch (next.then) {
    case 'retry':
      return next.delayMs;
    case 'release':
      return next.delayMs ?? 0;
    case 'keep':
    case 'dead-letter':
      return 0;
  }
}

/** Dead letters, for the tests of what operators do with them. */
import type { DeadLetterReason } from '@waybill/contracts';

import type { Run } from '../src/claimed.ts';
import type { TypedRecord } from '../src/claimer.ts';
import type { Operator } from '../src/operators/operator.ts';
import type { Room } from './room.ts';
import type { Worker } from './worker.ts';

export const ANNA: Operator = { actor: 'anna@example.org', reason: 'the target is back' };
export const BEN: Operator = { actor: 'ben@example.org', reason: 'ticket 17' };

/** Settles a run whose first `delivered` records went well and whose next one is dead. */
export async function kill(
  worker: Worker,
  run: Run,
  { delivered = 0, reason = 'refused' }: { readonly delivered?: number; readonly reason?: DeadLetterReason } = {},
): Promise<void> {
  const position = run.records[delivered]?.position;
  if (position === undefined) throw new Error('the run has no such record');
  const result = await worker.settle(run, delivered, {
    then: 'dead-letter',
    position,
    reason,
    error: `${reason} by test`,
  });
  if (result.status !== 'settled') throw new Error('the lease was lost');
}

/** Claims what is there and lets the head of each run die. Gives the ids of the dead. */
export async function killHeads(worker: Worker, reason: DeadLetterReason = 'refused'): Promise<readonly string[]> {
  const { runs } = await worker.claim({ runLength: 1 });
  for (const run of runs) await kill(worker, run, { reason });
  return runs.flatMap(({ records }) => records.map(({ id }) => id));
}

/** Claims and delivers until nothing is left. Gives what was delivered, as `key:step`. */
export async function drain(worker: Worker): Promise<readonly string[]> {
  const delivered: string[] = [];
  for (;;) {
    const { runs } = await worker.claim();
    if (runs.length === 0) return delivered;
    for (const run of runs) {
      await worker.settle(run);
      delivered.push(...run.records.map((record) => `${run.recordKey.replace('Parcel/', '')}:${stepOf(record)}`));
    }
  }
}

export function stepOf({ payload }: TypedRecord): string {
  return String((JSON.parse(payload) as { readonly step?: number }).step ?? '-');
}

/** The id of one step of one parcel. */
export async function idOf(room: Room, key: string, step: number): Promise<string> {
  const [row] = await room.query(
    `select id::text as id from waybill.message where record_key = $1 and payload->>'step' = $2`,
    [`Parcel/${key}`, String(step)],
  );
  return String(row?.['id']);
}

/** The state of each step of one parcel as the view shows it. */
export async function states(room: Room, key: string): Promise<readonly string[]> {
  const rows = await room.query(
    `select payload->>'step' || ' ' || state || coalesce(' ' || pending_reason, '') as row from waybill.record
     where record_key = $1 order by (payload->>'step')::integer`,
    [`Parcel/${key}`],
  );
  return rows.map((row) => String(row['row']));
}

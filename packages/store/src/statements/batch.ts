import type { DeadLetterReason } from '@waybill/contracts';
import type { ClaimedRecord } from '../claimed.ts';
import type { Executor } from '../executor.ts';
import { textOf } from '../row.ts';
import type { Store } from '../store.ts';
import { decodeRecord } from './claim.ts';

/** A record under a lease of its own, as the batch drainer takes it. Its key is computed from the payload: the tables may have none. */
export interface BatchRecord extends Omit<ClaimedRecord, 'recordKey'> {
  readonly fence: string;
  /** How long it is not to be delivered yet. What follows in its key waits behind it. */
  readonly dueInMs: number;
}

/** One record of a batch that the drainer is done with for now. */
export interface BatchSettlement {
  readonly position: string;
  readonly fence: string;
  readonly outcome:
    | { readonly then: 'dispatched' }
    | { readonly then: 'retry'; readonly delayMs: number; readonly error: string }
    | { readonly then: 'release'; readonly delayMs?: number }
    | { readonly then: 'dead-letter'; readonly reason: DeadLetterReason; readonly error: string };
}

/**
 * Takes the oldest records in the order of their positions, on tables of any generation. For the one batch drainer of a store, which keeps the
 * order of each key in memory; see `sql/migrations/0001_outbox.sql`.
 */
export async function claimBatch(
  executor: Executor,
  store: Store,
  request: {
    readonly owner: string;
    readonly most: number;
    readonly leaseMs: number;
    readonly contractIds: readonly number[];
  },
): Promise<readonly BatchRecord[]> {
  const rows = await executor.query(
    `select position_::text as position, fence::text as fence, seq::text as seq, id::text as id, contract_id, tenant, event_id,
       (extract(epoch from occurred_at) * 1000)::text as occurred_at, (extract(epoch from enqueued_at) * 1000)::text as enqueued_at,
       headers, payload, attempt, null as policy, 0 as crashes, due_in_ms::text as due_in_ms
     from ${store.quoted}.claim_batch($1::uuid, $2::integer, $3::bigint, $4::integer[])`,
    [request.owner, request.most, request.leaseMs, request.contractIds],
  );
  return rows.map((row) => ({
    ...decodeRecord(row),
    fence: textOf(row, 'fence'),
    dueInMs: Number(textOf(row, 'due_in_ms')),
  }));
}

/** Ends attempts of a batch. Gives the positions that were still owned; what is not among them has lost its lease. */
export async function settleBatch(
  executor: Executor,
  store: Store,
  owner: string,
  settlements: readonly BatchSettlement[],
): Promise<ReadonlySet<string>> {
  const outcomes = settlements.map(({ outcome }) => outcome);
  const rows = await executor.query(
    `select position::text as position from ${store.quoted}.settle_batch($1::uuid, $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[]) s (position)`,
    [
      owner,
      settlements.map(({ position }) => position),
      settlements.map(({ fence }) => fence),
      outcomes.map(({ then }) => then),
      outcomes.map((outcome) => ('delayMs' in outcome ? Math.ceil(outcome.delayMs) : 0)),
      outcomes.map((outcome) => ('reason' in outcome ? outcome.reason : null)),
      outcomes.map((outcome) => ('error' in outcome ? outcome.error : null)),
    ],
  );
  return new Set(rows.map((row) => textOf(row, 'position')));
}

/** Prolongs leases of a batch. Gives the positions that are still owned. */
export async function renewBatch(
  executor: Executor,
  store: Store,
  request: {
    readonly owner: string;
    readonly leaseMs: number;
    readonly leases: readonly Pick<BatchRecord, 'position' | 'fence'>[];
  },
): Promise<ReadonlySet<string>> {
  const rows = await executor.query(
    `select position::text as position from ${store.quoted}.renew_batch($1::uuid, $2::bigint[], $3::bigint[], $4::bigint) r (position)`,
    [
      request.owner,
      request.leases.map(({ position }) => position),
      request.leases.map(({ fence }) => fence),
      request.leaseMs,
    ],
  );
  return new Set(rows.map((row) => textOf(row, 'position')));
}

import type { Executor, Row } from '../executor.ts';
import { instantOf, integerOf, textOf, textOrNull } from '../row.ts';
import type { Store } from '../store.ts';
import { millis } from './record-columns.ts';

/** Who ended a delivery, and how that build read the message. */
export interface Provenance {
  readonly at: Date;
  /** The dispatcher. */
  readonly by: string;
  readonly attempts: number;
  readonly writtenVersion: number;
  /** The version that the target or the handler was to get. Null: the registry does not know the dispatcher any more. */
  readonly handedVersion: number | null;
  /** Null like the version. */
  readonly build: string | null;
}

/** One end of a delivery: the last attempt of a budget. */
export type PastDelivery =
  | (Provenance & { readonly ended: 'dispatched'; readonly lastError: string | null })
  | (Provenance & {
      readonly ended: 'dead-letter';
      readonly deadLetter: string;
      readonly reason: string;
      readonly error: string;
      readonly replayedAt: Date | null;
      readonly discardedAt: Date | null;
    });

export interface PastReplay {
  readonly deadLetter: string;
  readonly actor: string;
  readonly reason: string;
  readonly requestedAt: Date;
}

export interface PastAction {
  readonly action: string;
  readonly actor: string;
  readonly reason: string;
  readonly at: Date;
}

const deliveriesText = (schema: string): string => `
select 'dispatched' as ended, ${millis('dispatched_at')} as at, dispatched_by as by, contract_id, attempt, last_error, null as dead_letter, null as reason,
  null as error, null as replayed_at, null as discarded_at
from ${schema}.dispatched where seq = $1::bigint
union all
select 'dead-letter', ${millis('failed_at')}, failed_by, contract_id, attempt, null, id::text, reason, error, ${millis('replayed_at')}, ${millis('discarded_at')}
from ${schema}.dead_letter where seq = $1::bigint`;

// A dispatcher registers with the versions that it hands over; where it names none for a type, that is the stored one.
const provenText = (schema: string): string => `
select h.ended, h.at, h.by::text as by, h.attempt, h.last_error, h.dead_letter, h.reason, h.error, h.replayed_at, h.discarded_at,
  c.schema_version as written_version, w.build,
  case when w.id is not null then coalesce((w.hands_over->>c.type)::integer, c.schema_version)::text end as handed_version
from (${deliveriesText(schema)}) h join ${schema}.contract c on c.id = h.contract_id left join ${schema}.dispatcher w on w.id = h.by
order by h.at::numeric`;

/** How the deliveries of a message ended so far, in the order of time. */
export async function readDeliveries(executor: Executor, store: Store, seq: string): Promise<readonly PastDelivery[]> {
  const rows = await executor.query(provenText(store.quoted), [seq]);
  return rows.map(decodeDelivery);
}

function decodeDelivery(row: Row): PastDelivery {
  const common: Provenance = {
    at: instantOf(row, 'at'),
    by: textOf(row, 'by'),
    attempts: integerOf(row, 'attempt'),
    writtenVersion: integerOf(row, 'written_version'),
    handedVersion: textOrNull(row, 'handed_version') === null ? null : integerOf(row, 'handed_version'),
    build: textOrNull(row, 'build'),
  };
  if (textOf(row, 'ended') === 'dispatched')
    return { ended: 'dispatched', ...common, lastError: textOrNull(row, 'last_error') };
  return {
    ended: 'dead-letter',
    ...common,
    deadLetter: textOf(row, 'dead_letter'),
    reason: textOf(row, 'reason'),
    error: textOf(row, 'error'),
    replayedAt: instantOrNull(row, 'replayed_at'),
    discardedAt: instantOrNull(row, 'discarded_at'),
  };
}

export async function readReplays(executor: Executor, store: Store, seq: string): Promise<readonly PastReplay[]> {
  const rows = await executor.query(
    `select dead_letter_id::text as dead_letter, actor, reason, ${millis('requested_at')} as requested_at
     from ${store.quoted}.replay where seq = $1::bigint order by id`,
    [seq],
  );
  return rows.map((row) => ({
    deadLetter: textOf(row, 'dead_letter'),
    actor: textOf(row, 'actor'),
    reason: textOf(row, 'reason'),
    requestedAt: instantOf(row, 'requested_at'),
  }));
}

/** What operators did to a message, oldest first. */
export async function readActions(executor: Executor, store: Store, id: string): Promise<readonly PastAction[]> {
  const rows = await executor.query(
    `select action, actor, reason, ${millis('at')} as at from ${store.quoted}.audit
     where what @> jsonb_build_object('messages', jsonb_build_array($1::text)) order by id`,
    [id],
  );
  return rows.map((row) => ({
    action: textOf(row, 'action'),
    actor: textOf(row, 'actor'),
    reason: textOf(row, 'reason'),
    at: instantOf(row, 'at'),
  }));
}

function instantOrNull(row: Row, column: string): Date | null {
  return textOrNull(row, column) === null ? null : instantOf(row, column);
}

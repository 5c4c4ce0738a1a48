import type { Executor } from '../executor.ts';
import { integerOf, textOf, textOrNull } from '../row.ts';
import type { Store } from '../store.ts';

/** Everything with an instant that a decision looks at. Messages and what operators did never change, and nobody decides by their age. */
const INSTANTS: Readonly<Record<string, readonly string[]>> = {
  delivery: ['due_at', 'not_before', 'lease_expires_at'],
  dispatcher: ['started_at', 'seen_at', 'left_at', 'steady_since'],
  dispatched: ['dispatched_at'],
  dead_letter: ['failed_at', 'replayed_at', 'discarded_at'],
  reader: ['declared_at', 'until'],
  write_override: ['granted_at', 'until'],
  writer: ['started_at', 'seen_at', 'left_at'],
};

/** Moves what the store remembers into the past, as if `ms` had passed. A tombstone that is never due stays so. */
export async function passTime(executor: Executor, store: Store, ms: number): Promise<void> {
  const moved = Object.entries(INSTANTS).map(([table, columns], nth) => {
    const changes = columns.map((column) => `${column} = ${column} - (select by from passage)`);
    return `t${String(nth)} as (update ${store.quoted}.${table} set ${changes.join(', ')})`;
  });
  await executor.query(
    `with passage as materialized (select $1::bigint * interval '1 millisecond' as by), ${moved.join(', ')} select 1`,
    [ms],
  );
}

const TABLES = [
  ...['message', 'delivery', 'dispatched', 'dead_letter', 'dispatcher', 'reader', 'version_pin', 'write_override'],
  ...['pause', 'writer', 'contract'],
];

/** Empties every table but that of the migrations. */
export async function emptyTables(executor: Executor, store: Store): Promise<void> {
  // Faster than to truncate them all, for the few rows of a schedule. What operators did can only be truncated.
  const deletes = TABLES.map((table) => `delete from ${store.quoted}.${table}`);
  const kept = ['audit', 'replay', 'policy'].map((table) => `${store.quoted}.${table}`);
  await executor.query([...deletes, `truncate ${kept.join(', ')}`].join('; '));
}

/** A message with all that the store says of it. */
export interface SimulatedRecord {
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly recordKey: string;
  readonly payload: string;
  readonly state: 'pending' | 'processing' | 'dispatched' | 'dead-letter';
  readonly pendingReason: string | null;
  readonly attempt: number;
  readonly deadReason: 'refused' | 'attempts-exhausted' | 'crash-loop' | 'unreadable' | null;
}

/** All messages, as the view shows them, and what the dead ones died of. */
export async function readAllRecords(executor: Executor, store: Store): Promise<readonly SimulatedRecord[]> {
  const rows = await executor.query(
    `select r.id::text as id, r.type, r.schema_version, r.record_key, r.payload::text as payload, r.state, r.pending_reason, r.attempt, l.reason
     from ${store.quoted}.record r join ${store.quoted}.message m on m.id = r.id
     left join ${store.quoted}.dead_letter l on l.seq = m.seq and l.replayed_at is null`,
  );
  return rows.map((row) => ({
    id: textOf(row, 'id'),
    type: textOf(row, 'type'),
    version: integerOf(row, 'schema_version'),
    recordKey: textOrNull(row, 'record_key') ?? '',
    payload: textOf(row, 'payload'),
    // The view spells the states out, and a constraint of the table the reasons.
    state: textOf(row, 'state') as SimulatedRecord['state'],
    pendingReason: textOrNull(row, 'pending_reason'),
    attempt: integerOf(row, 'attempt'),
    deadReason: textOrNull(row, 'reason') as SimulatedRecord['deadReason'],
  }));
}

/** The database's time in milliseconds since 1970. */
export async function readTime(executor: Executor): Promise<number> {
  const [row] = await executor.query(`select (extract(epoch from clock_timestamp()) * 1000)::bigint::text as at`);
  if (row === undefined) throw new TypeError('the time was answered without a row');
  return Number(textOf(row, 'at'));
}

import type { ClaimedRecord, Run } from '../claimed.ts';
import type { Executor, Row } from '../executor.ts';
import type { ClaimFacts, Floor, Seen } from '../floors.ts';
import { instantOf, integerOf, textOf, textOrNull } from '../row.ts';
import type { Store } from '../store.ts';
import type { Pause } from './pause.ts';
import { decodePolicy } from './policy.ts';

export interface ClaimParameters {
  readonly owner: string;
  readonly maxHeads: number;
  readonly maxRecords: number;
  readonly runLength: number;
  readonly leaseMs: number;
  readonly timed: boolean;
  /** `dueFloorMs`: due times before this one, in milliseconds since 1970 by the database's clock, were looked at already; null: look at all. */
  readonly asks: readonly { readonly contract: number; readonly floor: Floor; readonly dueFloorMs: number | null }[];
}

export interface ClaimResult {
  readonly runs: readonly Run[];
  readonly facts: ClaimFacts;
}

// Everything that a driver could round or convert is returned as text.
const COLUMNS = `head::text as head, fence::text as fence, position_::text as position, seq::text as seq, id::text as id,
  contract_id, record_key, tenant, event_id, (pg_catalog.date_part('epoch', occurred_at) * 1000)::text as occurred_at,
  (pg_catalog.date_part('epoch', enqueued_at) * 1000)::text as enqueued_at, headers, payload, attempt, policy, crashes`;
const text = (schema: string): string => `
select facts::text as facts, ${COLUMNS}
from ${schema}.claim($1::uuid, $2::integer, $3::integer, $4::integer, $5::bigint, $6::boolean, $7::integer[], $8::xid8[], $9::bigint[], $10::integer[], $11::xid8[],
  $12::timestamptz[])`;

/** Runs {@link https://www.postgresql.org/docs/current/explicit-locking.html | SKIP LOCKED} claim number one; see `sql/migrations/0005_claim.sql`. */
export async function claim(executor: Executor, store: Store, parameters: ClaimParameters): Promise<ClaimResult> {
  const open = parameters.asks.flatMap((ask) => ask.floor.open.map((xid) => ({ contract: ask.contract, xid })));
  const rows = await executor.query(text(store.quoted), [
    parameters.owner,
    parameters.maxHeads,
    parameters.maxRecords,
    parameters.runLength,
    parameters.leaseMs,
    parameters.timed,
    parameters.asks.map((ask) => ask.contract),
    parameters.asks.map((ask) => String(ask.floor.xid)),
    parameters.asks.map((ask) => String(ask.floor.position)),
    open.map((entry) => entry.contract),
    open.map((entry) => String(entry.xid)),
    parameters.asks.map(({ dueFloorMs }) => (dueFloorMs === null ? '-infinity' : new Date(dueFloorMs).toISOString())),
  ]);
  const [first] = rows;
  // The statement joins from a constant row, so there always is a first one.
  if (first === undefined) throw new TypeError('a claim answered without a row');
  return { facts: decodeFacts(textOf(first, 'facts')), runs: first['head'] === null ? [] : decodeRuns(rows) };
}

/** Claims the eldest suspect, alone; see `claim_suspect` in the same migration. */
export async function claimSuspect(
  executor: Executor,
  store: Store,
  { owner, leaseMs, asks }: { readonly owner: string; readonly leaseMs: number; readonly asks: readonly number[] },
): Promise<readonly Run[]> {
  return decodeRuns(
    await executor.query(`select ${COLUMNS} from ${store.quoted}.claim_suspect($1::uuid, $2::bigint, $3::integer[])`, [
      owner,
      leaseMs,
      asks,
    ]),
  );
}

/** Stamps rows anew that another cluster has stamped, as after the restore of a dump. Gives how many. */
export async function stampAnew(executor: Executor, store: Store, contracts: readonly number[]): Promise<number> {
  const [row] = await executor.query(`select ${store.quoted}.stamp_anew($1::integer[]) as stamped`, [contracts]);
  return row === undefined ? 0 : integerOf(row, 'stamped');
}

function decodeRuns(rows: readonly Row[]): Run[] {
  const runs = new Map<string, { head: string; fence: string; recordKey: string; records: ClaimedRecord[] }>();
  for (const row of rows) {
    const head = textOf(row, 'head');
    const record = decodeRecord(row);
    const run = runs.get(head);
    if (run === undefined)
      runs.set(head, { head, fence: textOf(row, 'fence'), recordKey: record.recordKey, records: [record] });
    else run.records.push(record);
  }
  return [...runs.values()];
}

/** A record from a row with the columns of a claim. */
export function decodeRecord(row: Row): ClaimedRecord {
  return {
    position: textOf(row, 'position'),
    seq: textOf(row, 'seq'),
    id: textOf(row, 'id'),
    contractId: integerOf(row, 'contract_id'),
    occurredAt: instantOf(row, 'occurred_at'),
    enqueuedAt: instantOf(row, 'enqueued_at'),
    tenant: textOrNull(row, 'tenant'),
    recordKey: textOrNull(row, 'record_key') ?? '',
    event: textOrNull(row, 'event_id'),
    headers: decodeHeaders(textOrNull(row, 'headers')),
    payload: textOf(row, 'payload'),
    attempt: integerOf(row, 'attempt'),
    policy: decodePolicy(textOrNull(row, 'policy')),
    crashes: integerOf(row, 'crashes'),
  };
}

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

// Headers are strings by contract of enqueue; a writer in SQL may have stored another scalar, which is shown as its JSON text.
function decodeHeaders(stored: string | null): Readonly<Record<string, string>> {
  if (stored === null) return NO_HEADERS;
  const parsed: unknown = JSON.parse(stored);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return {};
  return Object.fromEntries(
    Object.entries(parsed).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

interface RawFacts {
  readonly snapshot: string;
  readonly share: number;
  readonly dueLeft: boolean;
  /** What a claim says whether it has taken something or not. */
  readonly around: {
    readonly limit: number;
    readonly server: string;
    readonly sweepDue: boolean;
    readonly momentMs: number;
    readonly nextDueMs: number | null;
    readonly suspects: boolean | null;
    readonly timed: boolean;
    readonly pauses: readonly Pause[] | null;
  };
  readonly seen:
    | readonly {
        contract: number;
        source: number;
        rows: number;
        cut: boolean;
        xid: string | null;
        position: string | null;
      }[]
    | null;
}

function decodeFacts(json: string): ClaimFacts {
  // Built by the function of the same name.
  const raw = JSON.parse(json) as RawFacts;
  const { timed, pauses, suspects, ...around } = raw.around;
  const [, xmax = '', inProgress = ''] = raw.snapshot.split(':');
  return {
    ...around,
    snapshot: { xmax: BigInt(xmax), inProgress: inProgress === '' ? [] : inProgress.split(',').map(BigInt) },
    share: raw.share,
    dueLeft: raw.dueLeft,
    suspects: suspects === true,
    pauses: timed ? (pauses ?? []) : null,
    seen: (raw.seen ?? []).map(
      (seen): Seen => ({
        contract: seen.contract,
        source: seen.source === 1 ? 'new' : 'late',
        rows: seen.rows,
        cut: seen.cut,
        last:
          seen.xid === null || seen.position === null
            ? null
            : { xid: BigInt(seen.xid), position: BigInt(seen.position) },
      }),
    ),
  };
}

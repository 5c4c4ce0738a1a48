import type { Executor } from '../executor.ts';
import type { KnownVersion } from '../rollout/gates.ts';
import type { Blocker, VersionName } from '../rollout/standing.ts';
import { instantOf, integerOf, textOf } from '../row.ts';
import type { Store } from '../store.ts';
import { millis } from './record-columns.ts';

const text = (schema: string): string => `
select n.type, n.version, case when c.retired_at is null then 'no' else 'yes' end as retired,
  case when n.version > p.version or (n.version = p.version and p.percent = 0) then 'yes' else 'no' end as pinned_below,
  case when exists (select from ${schema}.write_override o where o.type = n.type and o.version = n.version and o.until > clock_timestamp()) then 'yes' else 'no' end as overridden,
  (select coalesce(json_agg(json_build_object('source', b.source, 'id', b.id, 'build', b.build)), '[]') from ${schema}.version_blockers(n.type, n.version) b)::text as blockers
from (
  select type, schema_version as version from ${schema}.contract union select * from unnest($1::text[], $2::integer[])) n
left join ${schema}.contract c on c.type = n.type and c.schema_version = n.version
left join ${schema}.version_pin p on p.type = n.type
order by n.type, n.version`;

/** Every version that the store knows, those given among them, with what stands against writing it. */
export async function readKnownVersions(
  executor: Executor,
  store: Store,
  also: readonly VersionName[] = [],
): Promise<readonly KnownVersion[]> {
  const rows = await executor.query(text(store.quoted), [
    also.map(({ type }) => type),
    also.map(({ version }) => version),
  ]);
  return rows.map((row) => ({
    type: textOf(row, 'type'),
    version: integerOf(row, 'version'),
    retired: textOf(row, 'retired') === 'yes',
    pinnedBelow: textOf(row, 'pinned_below') === 'yes',
    overridden: textOf(row, 'overridden') === 'yes',
    blockers: JSON.parse(textOf(row, 'blockers')) as readonly Blocker[],
  }));
}

/** The database's time, and whether a dispatcher or a reader has ever been entered. */
export async function readRegistryFacts(
  executor: Executor,
  store: Store,
): Promise<{ readonly at: Date; readonly everRegistered: boolean }> {
  const [row] = await executor.query(
    `select ${millis('clock_timestamp()')} as at,
       case when exists (select from ${store.quoted}.dispatcher) or exists (select from ${store.quoted}.reader) then 'yes' else 'no' end as ever`,
  );
  if (row === undefined) throw new TypeError('a look at the registry answered without a row');
  return { at: instantOf(row, 'at'), everRegistered: textOf(row, 'ever') === 'yes' };
}

/** The newest deliveries that a pace is told by: more than enough for one, and read in a moment. */
const PACE_ROWS = 5_000;

/** Deliveries a second, by `type@version`: of the last minute, or of the shorter time in which the newest 5,000 were made. */
export async function readPace(executor: Executor, store: Store): Promise<ReadonlyMap<string, number>> {
  const rows = await executor.query(
    `with newest as materialized (select contract_id, dispatched_at from ${store.quoted}.dispatched order by seq desc limit ${String(PACE_ROWS)}),
     span as (
       select case when count(*) < ${String(PACE_ROWS)} then 60
         else least(60, greatest(1, extract(epoch from clock_timestamp() - min(dispatched_at)))) end as seconds from newest)
     select c.type || '@' || c.schema_version as name, (count(*) / min(s.seconds))::text as pace
     from newest d join ${store.quoted}.contract c on c.id = d.contract_id, span s
     where d.dispatched_at > clock_timestamp() - interval '1 minute' group by 1`,
  );
  return new Map(rows.map((row) => [textOf(row, 'name'), Number(textOf(row, 'pace'))]));
}

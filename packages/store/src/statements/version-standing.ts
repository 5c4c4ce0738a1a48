import type { Executor } from '../executor.ts';
import type { Blocker, Pin, Standing, TypeStanding, VersionName } from '../rollout/standing.ts';
import { integerOf, textOf } from '../row.ts';

const text = (schema: string): string => `
select u.type, u.version,
  case when c.retired_at is null then 'no' else 'yes' end as retired,
  case when exists (select from ${schema}.write_override o where o.type = u.type and o.version = u.version and o.until > clock_timestamp()) then 'yes' else 'no' end as overridden,
  (select coalesce(json_agg(json_build_object('source', b.source, 'id', b.id, 'build', b.build)), '[]') from ${schema}.version_blockers(u.type, u.version) b)::text as blockers,
  (select json_build_object('version', p.version, 'percent', p.percent) from ${schema}.version_pin p where p.type = u.type)::text as pin,
  (extract(epoch from clock_timestamp()) * 1000)::bigint::text as at
from unnest($1::text[], $2::integer[]) u (type, version)
left join lateral (select * from ${schema}.contract c where c.type = u.type and c.schema_version = u.version) c on true`;

/** How versions stand with the builds that would have to read them, by type, and the database's time of the answer in milliseconds. */
export async function readStandings(
  executor: Executor,
  schema: string,
  versions: readonly VersionName[],
): Promise<{ readonly standings: ReadonlyMap<string, TypeStanding>; readonly at: number }> {
  const rows = await executor.query(text(schema), [
    versions.map(({ type }) => type),
    versions.map(({ version }) => version),
  ]);
  const types = new Map<string, { pin: Pin | null; versions: Map<number, Standing> }>();
  for (const row of rows) {
    // What the statement above has built; null where there is no pin.
    const pin = row['pin'] === null ? null : (JSON.parse(textOf(row, 'pin')) as Pin);
    const known = types.get(textOf(row, 'type')) ?? { pin, versions: new Map<number, Standing>() };
    known.versions.set(integerOf(row, 'version'), {
      retired: textOf(row, 'retired') === 'yes',
      overridden: textOf(row, 'overridden') === 'yes',
      blockers: JSON.parse(textOf(row, 'blockers')) as readonly Blocker[],
    });
    types.set(textOf(row, 'type'), known);
  }
  return { standings: types, at: Math.max(0, ...rows.map((row) => Number(textOf(row, 'at')))) };
}

import type { Executor } from '../executor.ts';
import type { Blocker, Pin, Standing, TypeStanding, VersionName } from '../rollout/standing.ts';
import { integerOf, textOf } from '../row.ts';

const text = (schema: string): string => `
select type, version, case when retired then 'yes' else 'no' end as retired, case when overridden then 'yes' else 'no' end as overridden,
  blockers::text as blockers, pin::text as pin, at_ms::text as at
from ${schema}.version_standings($1::text[], $2::integer[])`;

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

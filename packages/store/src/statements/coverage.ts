import type { Executor } from '../executor.ts';
import type { VersionName } from '../rollout/standing.ts';
import { integerOf, textOf } from '../row.ts';
import type { Store } from '../store.ts';

/** How many running instances of a build read a version. */
export interface Reading extends VersionName {
  readonly build: string;
  readonly instances: number;
}

/** What the dispatchers that surely run can read, by version and build. */
export async function readReadings(executor: Executor, store: Store): Promise<readonly Reading[]> {
  const rows = await executor.query(
    `select c.type, c.schema_version, d.build, count(*)::integer as instances
     from ${store.quoted}.dispatcher d cross join lateral unnest(d.capabilities) u (id) join ${store.quoted}.contract c on c.id = u.id
     where d.seen_at > clock_timestamp() - interval '1 hour' and ${store.quoted}.vouches(d)
     group by 1, 2, 3 order by 1, 2, 3`,
  );
  return rows.map((row) => ({
    type: textOf(row, 'type'),
    version: integerOf(row, 'schema_version'),
    build: textOf(row, 'build'),
    instances: integerOf(row, 'instances'),
  }));
}

import type { Executor } from '../executor.ts';
import type { VersionName } from '../rollout/standing.ts';
import { integerOf, textOf } from '../row.ts';
import type { Store } from '../store.ts';

export interface ContractRevision {
  readonly revision: number;
  readonly retired: boolean;
}

/** How often operators have decided about a version, and whether it is retired; null where the store does not know it. */
export async function readRevision(
  executor: Executor,
  store: Store,
  { type, version }: VersionName,
): Promise<ContractRevision | null> {
  const [row] = await executor.query(
    `select revision, case when retired_at is null then 'no' else 'yes' end as retired from ${store.quoted}.contract where type = $1 and schema_version = $2::integer`,
    [type, version],
  );
  return row === undefined ? null : { revision: integerOf(row, 'revision'), retired: textOf(row, 'retired') === 'yes' };
}

/** Waits until no transaction that may write the version is open, and holds off further ones until this transaction ends. */
export async function shutVersion(executor: Executor, store: Store, { type, version }: VersionName): Promise<void> {
  await executor.query(
    `select pg_advisory_xact_lock(${store.quoted}.contract_space(), c.id), 1 from ${store.quoted}.contract c where c.type = $1 and c.schema_version = $2::integer for no key update`,
    [type, version],
  );
}

/** Which of the versions a transaction that is still open may have written. Those found shut stay so until this transaction ends. */
export async function openVersions(
  executor: Executor,
  store: Store,
  names: readonly VersionName[],
): Promise<readonly VersionName[]> {
  const rows = await executor.query(
    `select c.type, c.schema_version from unnest($1::text[], $2::integer[]) u (type, version)
     join ${store.quoted}.contract c on c.type = u.type and c.schema_version = u.version
     where not pg_try_advisory_xact_lock(${store.quoted}.contract_space(), c.id)`,
    [names.map(({ type }) => type), names.map(({ version }) => version)],
  );
  return rows.map((row) => ({ type: textOf(row, 'type'), version: integerOf(row, 'schema_version') }));
}

/** Whether a transaction that is still open enters or alters versions: what it has entered, and written, nobody else sees yet. */
export async function areVersionsEntered(executor: Executor, store: Store): Promise<boolean> {
  const rows = await executor.query(
    `select 1 as one from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
     where l.relation = '${store.quoted.replaceAll("'", "''")}.contract'::regclass and l.mode = 'RowExclusiveLock' and l.granted and l.pid <> pg_backend_pid() limit 1`,
  );
  return rows.length > 0;
}

/** From now on the version is not written any more. */
export async function markRetired(executor: Executor, store: Store, { type, version }: VersionName): Promise<void> {
  await executor.query(
    `update ${store.quoted}.contract set retired_at = clock_timestamp(), revision = revision + 1 where type = $1 and schema_version = $2::integer`,
    [type, version],
  );
}

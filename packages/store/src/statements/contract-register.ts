import type { Contract } from '../contracts.ts';
import type { Executor, Row } from '../executor.ts';
import type { Store } from '../store.ts';

const insertText = (schema: string): string => `
insert into ${schema}.contract (type, schema_version, kind, registered_by)
select type, version, kind, $4 from unnest($1::text[], $2::integer[], $3::text[]) u (type, version, kind) order by type, version
on conflict do nothing`;

const selectText = (schema: string): string => `
select c.id, c.type, c.schema_version, c.kind
from ${schema}.contract c join unnest($1::text[], $2::integer[]) u (type, version) on c.type = u.type and c.schema_version = u.version`;

/** Inserts what is missing, in an order that keeps two starting processes from a deadlock, and gives all rows asked for. */
export async function registerContractRows(
  executor: Executor,
  store: Store,
  contracts: readonly Contract[],
  registeredBy: string,
): Promise<readonly Row[]> {
  const types = contracts.map(({ type }) => type);
  const versions = contracts.map(({ version }) => version);
  // Two statements: the second one sees what another process inserted while the first one waited for it.
  await executor.query(insertText(store.quoted), [types, versions, contracts.map(({ kind }) => kind), registeredBy]);
  return executor.query(selectText(store.quoted), [types, versions]);
}

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

// In the order of ids, so that two starting processes do not deadlock.
const policyText = (schema: string): string => `
update ${schema}.contract c set head_policy = o.head_policy
from (
  select c.id, u.head_policy
  from ${schema}.contract c join (select distinct type, head_policy from unnest($1::text[], $2::text[]) p (type, head_policy)) u on c.type = u.type
  where c.head_policy <> u.head_policy order by c.id for no key update of c) o
where c.id = o.id`;

const releaseText = (schema: string): string => `
select ${schema}.release_held(array(select c.id from ${schema}.contract c where c.type = any ($1::text[])))`;

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

/** Sets the policies that are given. What is held under a policy that is "continue" now is released, also after a process that ended in between. */
export async function updateHeadPolicies(
  executor: Executor,
  store: Store,
  contracts: readonly Contract[],
): Promise<void> {
  const given = contracts.flatMap(({ type, headPolicy }) => (headPolicy === undefined ? [] : [{ type, headPolicy }]));
  if (given.length === 0) return;
  const types = given.map(({ type }) => type);
  await executor.query(policyText(store.quoted), [types, given.map(({ headPolicy }) => headPolicy)]);
  // A statement of its own: it sees every tombstone that a settlement has left under the old policy.
  await executor.query(releaseText(store.quoted), [types]);
}

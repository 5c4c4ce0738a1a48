import type { HeadPolicy, Kind } from '@waybill/contracts';

import { StoreError } from './errors.ts';
import type { Executor } from './executor.ts';
import { integerOf, textOf } from './row.ts';
import { registerContractRows, updateHeadPolicies } from './statements/contract-register.ts';
import type { Store } from './store.ts';

/** One message type in one schema version. */
export interface Contract {
  readonly type: string;
  readonly version: number;
  readonly kind: Kind;
  /** What happens behind a dead message of a key, for all versions of the type. Left out: it stays as it is in the store, `continue` at first. */
  readonly headPolicy?: HeadPolicy;
}

export type ContractName = `${string}@${number}`;

/** The store's ids of contracts, by `type@version`. */
export type ContractIds = ReadonlyMap<ContractName, number>;

/**
 * Makes the contracts known to the store, so that no message has to. Safe to call at every start and from many processes at once.
 * Head policies are brought up to date: the process that starts last decides. A change to `continue` lets the keys go on that were held.
 * Throws `STO_CONTRACT_MISMATCH` when a type is known under another kind.
 */
export async function registerContracts(
  store: Store,
  contracts: readonly Contract[],
  registeredBy: string,
  executor: Executor = store.database,
): Promise<ContractIds> {
  const rows = await registerContractRows(executor, store, contracts, registeredBy);
  const kinds = new Map(contracts.map(({ type, version, kind }) => [nameOf(type, version), kind]));
  const mismatches = rows
    .map((row) => ({ name: nameOf(textOf(row, 'type'), integerOf(row, 'schema_version')), kind: textOf(row, 'kind') }))
    .filter(({ name, kind }) => kinds.get(name) !== kind)
    .map(({ name, kind }) => `${name}: expected kind ${String(kinds.get(name))}, got ${kind} in the store`);
  if (mismatches.length > 0) throw new StoreError('STO_CONTRACT_MISMATCH', mismatches.join('; '));
  await updateHeadPolicies(executor, store, contracts);
  return new Map(
    rows.map((row) => [nameOf(textOf(row, 'type'), integerOf(row, 'schema_version')), integerOf(row, 'id')]),
  );
}

function nameOf(type: string, version: number): ContractName {
  return `${type}@${version}`;
}

import type { Executor } from '../executor.ts';
import { integerOf } from '../row.ts';
import type { Store } from '../store.ts';

/** How often and how soon a failed record is tried again, in the numbers of an exponential backoff. */
export interface PolicyValues {
  readonly maxAttempts: number;
  readonly baseMs: number;
  readonly factor: number;
  readonly capMs: number;
}

/** A retry policy that the store keeps. Records that failed under it go on under it, whatever the configuration says since. */
export interface KeptPolicy extends PolicyValues {
  readonly id: number;
}

/** Makes a retry policy known to the store, or finds the one with the same numbers. */
export async function keepPolicy(
  store: Store,
  policy: PolicyValues,
  executor: Executor = store.database,
): Promise<KeptPolicy> {
  const { maxAttempts, baseMs, factor, capMs } = policy;
  const values = [maxAttempts, baseMs, factor, capMs];
  const find = async (): Promise<KeptPolicy | null> => {
    const [row] = await executor.query(
      `select id from ${store.quoted}.policy
       where (max_attempts, base_ms, factor, cap_ms) = ($1::integer, $2::bigint, $3::double precision, $4::bigint)`,
      values,
    );
    return row === undefined ? null : { id: integerOf(row, 'id'), maxAttempts, baseMs, factor, capMs };
  };
  const known = await find();
  if (known !== null) return known;
  await executor.query(
    `insert into ${store.quoted}.policy (max_attempts, base_ms, factor, cap_ms)
     values ($1::integer, $2::bigint, $3::double precision, $4::bigint) on conflict do nothing`,
    values,
  );
  // Ours, or that of a process which was quicker.
  const added = await find();
  if (added === null) throw new TypeError('a retry policy was added and is not there');
  return added;
}

/** What a claim says of the policy of a record: the row as JSON. */
export function decodePolicy(json: string | null): KeptPolicy | null {
  if (json === null) return null;
  // Built by the claim from the row of the table, whose columns are numbers.
  const row = JSON.parse(json) as { id: number; max_attempts: number; base_ms: number; factor: number; cap_ms: number };
  return { id: row.id, maxAttempts: row.max_attempts, baseMs: row.base_ms, factor: row.factor, capMs: row.cap_ms };
}

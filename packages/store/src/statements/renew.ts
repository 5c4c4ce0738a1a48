import type { Executor } from '../executor.ts';
import { textOf } from '../row.ts';
import type { Store } from '../store.ts';

export interface Renewal {
  /** Heads whose lease now lasts for the full time again. */
  readonly renewed: ReadonlySet<string>;
  /** Heads that are still ours, the renewed ones and those that somebody has locked for a moment. The rest is lost. */
  readonly owned: ReadonlySet<string>;
}

const text = (schema: string): string =>
  `select head::text as head, case when renewed then 'yes' else 'no' end as renewed from ${schema}.renew($1::uuid, $2::bigint[], $3::bigint[], $4::bigint)`;

/** Prolongs leases by owner and fence. A lease that moved on to its next record meanwhile is neither renewed nor owned under its old head. */
export async function renew(
  executor: Executor,
  store: Store,
  {
    owner,
    leases,
    leaseMs,
  }: {
    readonly owner: string;
    readonly leases: readonly { readonly head: string; readonly fence: string }[];
    readonly leaseMs: number;
  },
): Promise<Renewal> {
  if (leases.length === 0) return { renewed: new Set(), owned: new Set() };
  const rows = await executor.query(text(store.quoted), [
    owner,
    leases.map(({ head }) => head),
    leases.map(({ fence }) => fence),
    leaseMs,
  ]);
  return {
    owned: new Set(rows.map((row) => textOf(row, 'head'))),
    renewed: new Set(rows.filter((row) => textOf(row, 'renewed') === 'yes').map((row) => textOf(row, 'head'))),
  };
}

import { DEAD_LETTER_REASONS, type DeadLetterReason } from '@waybill/contracts';
import type { Executor } from '../executor.ts';
import { integerOf } from '../row.ts';
import type { Store } from '../store.ts';

/** Open dead letters of one contract and reason. */
export interface DeadCount {
  readonly contractId: number;
  readonly reason: DeadLetterReason;
  readonly count: number;
}

// The newest of each contract and reason, since the old ones may all have been discarded. ">= and <=" rather than "=": with "=" the order by seq alone
// would do, and where one reason fills the table the planner walks all of it backwards for each of the others.
const text = (schema: string): string => `
select c.id, r.nth, n.looked_at, n.open
from ${schema}.contract c cross join unnest($1::text[]) with ordinality r (reason, nth),
lateral (
  select count(*)::integer as looked_at, (count(*) filter (where l.discarded_at is null))::integer as open
  from (select l.discarded_at from ${schema}.dead_letter l where l.contract_id >= c.id and l.contract_id <= c.id and l.reason >= r.reason and l.reason <= r.reason and l.replayed_at is null
        order by l.contract_id desc, l.reason desc, l.seq desc limit $2::bigint) l) n
where n.looked_at > 0`;

/** `whole`: none was left out, else the numbers are lower bounds. */
export async function readDeadCounts(
  executor: Executor,
  store: Store,
  perContractAndReason: number,
): Promise<{ readonly whole: boolean; readonly counts: readonly DeadCount[] }> {
  const rows = await executor.query(text(store.quoted), [DEAD_LETTER_REASONS, perContractAndReason]);
  return {
    whole: rows.every((row) => integerOf(row, 'looked_at') < perContractAndReason),
    counts: rows.flatMap((row) => {
      const reason = DEAD_LETTER_REASONS[integerOf(row, 'nth') - 1];
      return reason === undefined ? [] : [{ contractId: integerOf(row, 'id'), reason, count: integerOf(row, 'open') }];
    }),
  };
}

/** How many keys wait for an operator behind a dead message, up to a bound. */
export async function countHeldKeys(executor: Executor, store: Store, most: number): Promise<number> {
  const [row] = await executor.query(
    `select count(*)::integer as held from (
       select 1 from ${store.quoted}.delivery where settled and due_at = 'infinity' order by due_at limit $1::bigint) h`,
    [most],
  );
  return row === undefined ? 0 : integerOf(row, 'held');
}

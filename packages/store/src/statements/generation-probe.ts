import type { Executor } from '../executor.ts';
import { integerOf } from '../row.ts';
import type { Store } from '../store.ts';

/** Looks whether the tables are there, and whether both of them have the column for record keys. */
export async function probeColumns(
  executor: Executor,
  store: Store,
): Promise<{ readonly tables: boolean; readonly keys: boolean }> {
  const [row] = await executor.query(
    `select count(t.relation)::integer as tables, count(a.attnum)::integer as keys
     from unnest(array[pg_catalog.to_regclass($1), pg_catalog.to_regclass($2)]) t (relation)
     left join pg_catalog.pg_attribute a on a.attrelid = t.relation and a.attname = 'record_key' and not a.attisdropped`,
    [`${store.quoted}.message`, `${store.quoted}.delivery`],
  );
  if (row === undefined) throw new TypeError('a count answered without a row');
  return { tables: integerOf(row, 'tables') === 2, keys: integerOf(row, 'keys') === 2 };
}

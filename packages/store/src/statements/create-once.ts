import type { Executor, Row } from '../executor.ts';
import type { OpenTransaction } from '../transaction-gate.ts';

/** One column of a table, as the catalog has it. Its name and type are quoted as SQL needs them. */
export interface Column {
  readonly name: string;
  readonly quoted: string;
  /** With its modifiers, such as `character varying(3)`. */
  readonly type: string;
  readonly nullable: boolean;
}

/** What the catalog says of a table. */
export interface TableFacts {
  /** The qualified name, quoted. */
  readonly quoted: string;
  readonly oid: string;
  readonly columns: readonly Column[];
  /** Whether a unique index over exactly the columns asked for can be relied on. */
  readonly unique: boolean;
  readonly isolation: string;
  /** False where the caller's transaction is gone. */
  readonly open: boolean;
}

/** True inside the transaction that a gate has seen; the parameter is its proof. */
const inTransaction = (parameter: string): string => {
  const own = 'pg_catalog.pg_current_xact_id_if_assigned()::text';
  return `(${parameter}::text is null or ${own} = ${parameter}::text or ${own} is not null and ${parameter}::text = 'any')`;
};

// Quoted for JSON once and read as text by us: drivers give nested values in forms of their own.
// The index must hold for every row (no predicate, no expression), at every moment (not deferrable, and not half-built), and by the same equality
// as "=" (the type's own operators, the column's own collation).
const CATALOG = `
select pg_catalog.json_build_object(
  'quoted', pg_catalog.format('%I.%I', n.nspname, c.relname), 'oid', c.oid::text, 'isolation', pg_catalog.current_setting('transaction_isolation'),
  'open', coalesce(${inTransaction('$3')}, false),
  'columns', (
    select pg_catalog.json_agg(pg_catalog.json_build_object('name', a.attname, 'quoted', pg_catalog.quote_ident(a.attname), 'type', pg_catalog.format_type(a.atttypid, a.atttypmod),
      'nullable', not a.attnotnull) order by a.attnum)
    from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
  'unique', exists (
    select 1 from pg_catalog.pg_index i
    where i.indrelid = c.oid and i.indisunique and i.indimmediate and i.indisvalid and i.indisready and i.indpred is null and i.indexprs is null
      and i.indnkeyatts = pg_catalog.cardinality($2::text[])
      and (select pg_catalog.array_agg(a.attname::text order by a.attname::text collate "C")
           from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum = any ((i.indkey::int2[])[0:i.indnkeyatts - 1]))
        = (select pg_catalog.array_agg(k order by k collate "C") from pg_catalog.unnest($2::text[]) k)
      and not exists (
        select 1 from pg_catalog.generate_series(0, i.indnkeyatts - 1) n, lateral (
          select * from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum = i.indkey[n]) a, pg_catalog.pg_opclass o
        where o.oid = i.indclass[n] and (not o.opcdefault or a.attcollation <> i.indcollation[n])))
)::text as facts
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.oid = pg_catalog.to_regclass($1::text) and c.relkind in ('r', 'p')`;

/** Reads what the catalog says of a table and of a key; null where there is no such table. `name` is quoted. */
export async function readTableFacts(
  { executor, transactionId }: OpenTransaction,
  name: string,
  key: readonly string[],
): Promise<TableFacts | null> {
  const [row] = await executor.query(CATALOG, [name, key, transactionId]);
  // The statement above makes it, so its shape is known.
  return row === undefined ? null : (JSON.parse(String(row['facts'])) as TableFacts);
}

/** A table, the columns of its natural key and the columns to write, key included. */
export interface CreateOnceTarget {
  readonly table: TableFacts;
  readonly key: readonly Column[];
  readonly written: readonly Column[];
}

// Values travel as one JSON text, whose members the server reads as the types of the columns: every driver carries it alike.
const given = (columns: readonly Column[]): string =>
  `(select * from pg_catalog.json_to_record($1::text::json) as r (${columns.map(({ quoted, type }) => `${quoted} ${type}`).join(', ')})) g`;

// Drivers may rename columns that are not in snake case, so columns come back under numbers.
const answered = ({ table }: CreateOnceTarget): string =>
  table.columns.map(({ quoted }, index) => `t.${quoted} as c${String(index)}`).join(', ');

/** Makes creators of one key take turns until they commit. */
export async function lockKey(executor: Executor, { table, key }: CreateOnceTarget, values: string): Promise<void> {
  // As text, since not every client can read void. By the types' own hash functions: two spellings of equal values, such as 1.0 and 1.00, are one key.
  await executor.query(
    `select pg_catalog.pg_advisory_xact_lock(pg_catalog.hash_record_extended(row(${table.oid}::oid, ${key.map(({ quoted }) => `g.${quoted}`).join(', ')}), 0))::text from ${given(key)}`,
    [values],
  );
}

/** Finds the row of a key. A statement of its own, whose snapshot sees what the holders of the lock before us have committed. */
export async function findByKey(
  executor: Executor,
  target: CreateOnceTarget,
  values: string,
): Promise<Row | undefined> {
  const { table, key } = target;
  const [row] = await executor.query(
    `select ${answered(target)} from ${table.quoted} t, ${given(key)} where ${key.map(({ quoted }) => `t.${quoted} = g.${quoted}`).join(' and ')}`,
    [values],
  );
  return row;
}

/** Inserts the row. None comes back where somebody who takes no lock was faster, or where a trigger keeps it away. */
export async function insertOnce(
  { executor, transactionId }: OpenTransaction,
  target: CreateOnceTarget,
  values: string,
): Promise<Row | undefined> {
  const { table, key, written } = target;
  const [row] = await executor.query(
    `insert into ${table.quoted} as t (${written.map(({ quoted }) => quoted).join(', ')})
     select ${written.map(({ quoted }) => `g.${quoted}`).join(', ')} from ${given(written)} where ${inTransaction('$2')}
     on conflict (${key.map(({ quoted }) => quoted).join(', ')}) do nothing returning ${answered(target)}`,
    [values, transactionId],
  );
  return row;
}

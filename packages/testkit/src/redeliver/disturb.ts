import type { StatementRunner } from './database.ts';
import { quotedName, type State } from './state.ts';

/** Another value of the same type that is not empty, as SQL over the column, by the first letter of `typcategory`. */
const OTHER_VALUE: Readonly<Record<string, string>> = {
  B: 'not coalesce(%, false)',
  N: 'coalesce(%, 0) + 1',
  S: "coalesce(%, '') || '~'",
  D: "coalesce(%, current_date) + interval '1 day'",
};

/**
 * Changes every value that the delivery wrote into another one, as if somebody had written there since. A handler that
 * sets values puts its own back; one that only fills what is empty leaves the foreign ones.
 *
 * Values of other types than numbers, texts, booleans and dates stay, and so do those that a constraint protects.
 */
export async function disturb(database: StatementRunner, before: State, after: State): Promise<void> {
  for (const [index, { table, rows }] of after.tables.entries()) {
    const old = before.tables[index]?.rows ?? [];
    const columns = await describeColumns(database, table);
    for (const row of rows.filter((text) => !old.includes(text))) {
      await disturbRow(database, { table, row, old, columns });
    }
  }
}

interface Column {
  readonly name: string;
  readonly quoted: string;
  readonly isKey: boolean;
  readonly other: string | undefined;
}

async function describeColumns(database: StatementRunner, table: string): Promise<readonly Column[]> {
  const rows = await database.query(
    `select a.attname as name, quote_ident(a.attname) as quoted, t.typcategory as category,
            coalesce(a.attnum = any (i.indkey), false) as is_key
       from pg_attribute a
       join pg_type t on t.oid = a.atttypid
       left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
      where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`,
    [table],
  );
  return rows.map(({ name, quoted, category, is_key }) => ({
    name: String(name),
    quoted: String(quoted),
    isKey: is_key === true,
    other: OTHER_VALUE[String(category)]?.replace('%', String(quoted)),
  }));
}

interface WrittenRow {
  readonly table: string;
  readonly row: string;
  readonly old: readonly string[];
  readonly columns: readonly Column[];
}

async function disturbRow(database: StatementRunner, { table, row, old, columns }: WrittenRow): Promise<void> {
  const keys = columns.filter(({ isKey }) => isKey);
  if (keys.length === 0) return;
  const written = parseRow(row);
  const previous = old
    .map(parseRow)
    .find((candidate) => keys.every(({ name }) => same(candidate[name], written[name])));
  const changed = columns.filter(({ name, isKey }) => !isKey && !same(previous?.[name], written[name]));
  const name = await quotedName(database, table);
  const where = keys.map(({ quoted }, index) => `${quoted}::text = $${index + 1}`).join(' and ');
  for (const { quoted, other } of changed) {
    if (other === undefined) continue;
    try {
      await database.query(
        `update ${name} set ${quoted} = ${other} where ${where}`,
        keys.map((key) => String(written[key.name])),
      );
    } catch (error) {
      if (!isConstraintViolation(error)) throw error;
    }
  }
}

function parseRow(row: string): Readonly<Record<string, unknown>> {
  return JSON.parse(row) as Readonly<Record<string, unknown>>; // to_jsonb of a row is an object
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** SQLSTATE classes 22 (the value does not fit) and 23 (a constraint forbids it). */
function isConstraintViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && /^2[23]/.test(error.code);
}

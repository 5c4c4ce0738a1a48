import type { StatementRunner } from './database.ts';

/** What the handler may have touched, at one moment. */
export interface State {
  readonly tables: readonly TableState[];
  readonly sequences: readonly SequenceState[];
}

/** The rows of one table. */
export interface TableState {
  readonly table: string;
  /** Each row as the text of a JSON object, in a fixed order. Text keeps numbers that JavaScript would round. */
  readonly rows: readonly string[];
}

/** How far one sequence has come. */
export interface SequenceState {
  readonly sequence: string;
  readonly lastValue: string;
  readonly isCalled: boolean;
}

/** The tables (parents before children) and sequences to watch, by name, with a schema where the search path needs one. */
export interface Watched {
  readonly tables: readonly string[];
  readonly sequences: readonly string[];
}

/** Reads the state. */
export async function readState(database: StatementRunner, watched: Watched): Promise<State> {
  const tables: TableState[] = [];
  for (const table of watched.tables) {
    const name = await quotedName(database, table);
    const rows = await database.query(`select to_jsonb(t)::text as row from ${name} t order by 1`);
    tables.push({ table, rows: rows.map(({ row }) => String(row)) });
  }
  const sequences: SequenceState[] = [];
  for (const sequence of watched.sequences) {
    const name = await quotedName(database, sequence);
    const [row] = await database.query(`select last_value::text as value, is_called from ${name}`);
    sequences.push({ sequence, lastValue: String(row?.['value']), isCalled: row?.['is_called'] === true });
  }
  return { tables, sequences };
}

/** Puts the state back, so that the next scenario starts where the last one did. */
export async function restoreState(database: StatementRunner, state: State): Promise<void> {
  for (const { table } of state.tables.toReversed())
    await database.query(`delete from ${await quotedName(database, table)}`);
  for (const { table, rows } of state.tables) {
    const name = await quotedName(database, table);
    const columns = await writableColumns(database, table);
    await database.query(
      `insert into ${name} (${columns}) overriding system value
       select ${columns} from json_populate_recordset(null::${name}, $1::json)`,
      [`[${rows.join(',')}]`],
    );
  }
  for (const { sequence, lastValue, isCalled } of state.sequences) {
    await database.query('select setval($1::regclass, $2::bigint, $3)', [sequence, lastValue, isCalled]);
  }
}

/** The name as SQL needs it, checked by the server to be one. */
export async function quotedName(database: StatementRunner, name: string): Promise<string> {
  const [row] = await database.query('select $1::regclass::text as name', [name]);
  return String(row?.['name']);
}

async function writableColumns(database: StatementRunner, table: string): Promise<string> {
  const [row] = await database.query(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as columns
       from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  return String(row?.['columns']);
}

import { StoreError } from '../errors.ts';
import { quoteIdentifier } from '../identifier.ts';
import type { Column, CreateOnceTarget, TableFacts } from '../statements/create-once.ts';

/** A table by its plain name, found by the search path, or with its schema. Names are taken as they are: `Order` is not `order`. */
export type TableName = string | { readonly schema: string; readonly name: string };

export interface CreateOnceRequest {
  readonly table: TableName;
  /** The natural key: its columns and their values. */
  readonly key: Readonly<Record<string, unknown>>;
  /** The other columns. Those that are left out, or undefined, get their defaults. */
  readonly values?: Readonly<Record<string, unknown>>;
}

/** Refuses what a caller without types may have given, before anything is read from it. */
export function checkRequest(request: unknown): asserts request is CreateOnceRequest {
  if (!isObject(request)) throw invalid('expected { table, key, values }');
  const [table, key, values] = ['table', 'key', 'values'].map((name): unknown => Reflect.get(request, name));
  if (typeof table !== 'string' && !isObject(table)) throw invalid('table: expected a name or { schema, name }');
  if (!isObject(key)) throw invalid('key: expected an object of columns');
  if (values !== undefined && !isObject(values)) throw invalid('values: expected an object of columns');
}

function isObject(thing: unknown): thing is object {
  return typeof thing === 'object' && thing !== null;
}

export function nameOfTable(table: TableName): string {
  return typeof table === 'string'
    ? quoteIdentifier(table, 'table')
    : `${quoteIdentifier(table.schema, 'schema')}.${quoteIdentifier(table.name, 'table')}`;
}

export function withoutUndefined(record: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

/** Decides whether the request can be kept, or throws why not. */
export function decideTarget(
  table: TableFacts | null,
  request: CreateOnceRequest,
  { key, written }: Readonly<Record<'key' | 'written', Readonly<Record<string, unknown>>>>,
): CreateOnceTarget {
  if (table === null) throw invalid(`there is no table ${nameOfTable(request.table)}`);
  if (table.isolation !== 'read committed' && table.isolation !== 'read uncommitted') {
    throw new StoreError(
      'STO_NEEDS_READ_COMMITTED',
      `createOnce cannot see in ${table.isolation} who has created the row meanwhile: use a READ COMMITTED transaction`,
    );
  }
  const columns = new Map(table.columns.map((column) => [column.name, column]));
  const columnOf = (name: string): Column => {
    const column = columns.get(name);
    if (column === undefined) throw invalid(`table ${table.quoted} has no column ${JSON.stringify(name)}`);
    return column;
  };
  Object.keys(key).forEach(columnOf);
  // In the order of the table, so that all callers take the same lock, however they spell the key.
  const keyColumns = table.columns.filter(({ name }) => Object.hasOwn(key, name));
  if (keyColumns.length === 0) throw invalid('the key has no columns');
  const twice = Object.keys(request.values ?? {}).find((name) => name in key);
  if (twice !== undefined) throw invalid(`column ${JSON.stringify(twice)} is in key and in values`);
  const empty = Object.keys(key).find((name) => key[name] === null);
  if (empty !== undefined) throw invalid(`key column ${JSON.stringify(empty)} is null`);
  const nullable = keyColumns.find((column) => column.nullable);
  if (!table.unique || nullable !== undefined) {
    throw new StoreError(
      'STO_NO_UNIQUE_KEY',
      `createOnce: table ${table.quoted} needs a unique constraint or index over exactly (${keyColumns.map(({ quoted }) => quoted).join(', ')}), each NOT NULL; not partial, not deferrable`,
    );
  }
  return { table, key: keyColumns, written: Object.keys(written).map(columnOf) };
}

function invalid(what: string): StoreError {
  return new StoreError('STO_INVALID_OPTION', `createOnce: ${what}`);
}

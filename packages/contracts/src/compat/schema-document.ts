import { ContractError } from '../contract-error.ts';
import { isSchema, mapSubschemas } from '../validation/map-subschemas.ts';
import { isSchemaObject, type JsonSchema, type SchemaObject } from '../validation/plain-schema.ts';

/**
 * The dialects that are told apart: draft-07 ignores the keywords beside a `$ref`, tuples are written with `items` before 2020-12, and only
 * since then does `contains` evaluate elements.
 */
export type Dialect = 'draft-07' | '2019-09' | '2020-12';

/** Names of the definitions that a schema did not have itself begin so. It needs no escape in a JSON pointer, and no TypeBox name holds it. */
export const MOVED = '!';

/** A schema with what its references need. */
export interface SchemaDocument {
  readonly root: JsonSchema;
  readonly dialect: Dialect;
  /** Whether what a reference means depends on the way that led to it: `$dynamicRef` and `$recursiveRef`. */
  readonly dynamic: boolean;
  /** The schema that a reference leads to. Throws ContractError for one that leads nowhere or out of the document. */
  resolve(reference: string): JsonSchema;
}

/** Larger schemas are refused, so that a hostile file costs a message and not a machine. The largest webhook schemas of GitHub have some 3,000 parts. */
export const MAX_SCHEMA_NODES = 20_000;
const MAX_SCHEMA_DEPTH = 200;

/** @throws ContractError `CTR_SCHEMA_INVALID` for a schema that is too large or nested too deeply, or of an unsupported dialect. */
export function schemaDocument(root: JsonSchema): SchemaDocument {
  const { named, dynamic } = namedSchemas(root);
  const resolved = new Map<string, JsonSchema>();
  /** What a pointer leads to, from the root or from the schema whose `$id` stands before it. */
  function below(reference: string): JsonSchema | undefined {
    const [id = '', pointer] = reference.split('#', 2);
    const start = id === '' ? root : named.get(id);
    if (start === undefined || pointer === undefined) return undefined;
    return pointer === '' ? start : schemaAt(start, pointer);
  }
  return {
    root,
    dialect: dialectOf(root),
    dynamic,
    resolve(reference) {
      const known = resolved.get(reference);
      if (known !== undefined) return known;
      const target = named.get(reference) ?? below(reference);
      if (target === undefined) throw new ContractError('CTR_SCHEMA_INVALID', unresolved(reference));
      resolved.set(reference, target);
      return target;
    },
  };
}

export function dialectOf(root: JsonSchema): Dialect {
  const declared = typeof root === 'boolean' ? undefined : root['$schema'];
  if (declared === undefined || (typeof declared === 'string' && declared.includes('2020-12'))) return '2020-12';
  if (typeof declared === 'string' && declared.includes('2019-09')) return '2019-09';
  if (typeof declared === 'string' && /draft-0[67]/.test(declared)) return 'draft-07';
  throw new ContractError(
    'CTR_SCHEMA_INVALID',
    `/$schema: ${JSON.stringify(declared)} is not supported; write draft-07, 2019-09 or 2020-12`,
  );
}

function unresolved(reference: string): string {
  return reference.startsWith('#')
    ? `the reference ${JSON.stringify(reference)} leads nowhere`
    : `the reference ${JSON.stringify(reference)} leads out of the document; copy what it means into $defs`;
}

/** The schema that a JSON pointer leads to from the root. */
export function schemaAt(root: JsonSchema, pointer: string): JsonSchema | undefined {
  if (!pointer.startsWith('/')) return undefined;
  let value: unknown = root;
  for (const step of pointer.slice(1).split('/')) {
    const name = decoded(step);
    if (name === null || typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Object.getOwnPropertyDescriptor(value, name)?.value;
  }
  return isSchema(value) ? value : undefined;
}

/** A step of a pointer in a URI; null where its percent signs are no encoding. */
function decoded(step: string): string | null {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** Schemas by `$id` and by anchor, gathered in one bounded walk. */
function namedSchemas(root: JsonSchema): {
  readonly named: ReadonlyMap<string, JsonSchema>;
  readonly dynamic: boolean;
} {
  const named = new Map<string, JsonSchema>();
  let dynamic = false;
  let nodes = 0;
  const visit = (schema: JsonSchema, depth: number): JsonSchema => {
    nodes += 1 + (isSchemaObject(schema) ? listedValues(schema) : 0);
    if (nodes > MAX_SCHEMA_NODES)
      throw new ContractError(
        'CTR_SCHEMA_INVALID',
        `the schema has more than ${MAX_SCHEMA_NODES} parts and listed values`,
      );
    if (depth > MAX_SCHEMA_DEPTH)
      throw new ContractError('CTR_SCHEMA_INVALID', `the schema is nested deeper than ${MAX_SCHEMA_DEPTH} levels`);
    if (!isSchemaObject(schema)) return schema;
    dynamic ||= '$dynamicRef' in schema || '$recursiveRef' in schema;
    for (const name of names(schema)) if (!named.has(name)) named.set(name, schema);
    mapSubschemas(schema, (inner) => visit(inner, depth + 1));
    return schema;
  };
  visit(root, 0);
  return { named, dynamic };
}

/** Lists cost as much to compare as schemas do. */
function listedValues({ enum: values, required }: SchemaObject): number {
  return [values, required].reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
}

function names(schema: SchemaObject): readonly string[] {
  const { $id: id, $anchor: anchor, $dynamicAnchor: dynamicAnchor } = schema;
  return [
    ...(typeof id === 'string' ? [id] : []),
    ...(typeof anchor === 'string' ? [`#${anchor}`] : []),
    ...(typeof dynamicAnchor === 'string' ? [`#${dynamicAnchor}`] : []),
  ];
}

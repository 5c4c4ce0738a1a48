import { ContractError } from '../contract-error.ts';
import { isSchema, mapSubschemas } from '../validation/map-subschemas.ts';
import { isSchemaObject, type JsonSchema, type SchemaObject } from '../validation/plain-schema.ts';

/** The dialects that are told apart: in draft-07 the keywords beside a `$ref` are ignored, and tuples are written with `items`. */
export type Dialect = 'draft-07' | '2020-12';

/** A schema with what its references need. */
export interface SchemaDocument {
  readonly root: JsonSchema;
  readonly dialect: Dialect;
  /** The schema that a reference leads to. Throws ContractError for one that leads nowhere or out of the document. */
  resolve(reference: string): JsonSchema;
}

/** Larger schemas are refused, so that a hostile file costs a message and not a machine. The largest webhook schemas of GitHub have some 3,000 parts. */
export const MAX_SCHEMA_NODES = 20_000;
const MAX_SCHEMA_DEPTH = 200;

/** @throws ContractError `CTR_SCHEMA_INVALID` for a schema that is too large or nested too deeply, or of an unsupported dialect. */
export function schemaDocument(root: JsonSchema): SchemaDocument {
  const named = namedSchemas(root);
  const resolved = new Map<string, JsonSchema>();
  return {
    root,
    dialect: dialectOf(root),
    resolve(reference) {
      const known = resolved.get(reference);
      if (known !== undefined) return known;
      const target =
        reference === '#'
          ? root
          : (named.get(reference) ?? (reference.startsWith('#/') ? atPointer(root, reference) : undefined));
      if (target === undefined) throw new ContractError('CTR_SCHEMA_INVALID', unresolved(reference));
      resolved.set(reference, target);
      return target;
    },
  };
}

export function dialectOf(root: JsonSchema): Dialect {
  const declared = typeof root === 'boolean' ? undefined : root['$schema'];
  if (declared === undefined || (typeof declared === 'string' && /2020-12|2019-09/.test(declared))) return '2020-12';
  if (typeof declared === 'string' && /draft-0[67]/.test(declared)) return 'draft-07';
  throw new ContractError(
    'CTR_SCHEMA_INVALID',
    `/$schema: ${JSON.stringify(declared)} is not supported; write draft-07 or 2020-12`,
  );
}

function unresolved(reference: string): string {
  return reference.startsWith('#')
    ? `the reference ${JSON.stringify(reference)} leads nowhere`
    : `the reference ${JSON.stringify(reference)} leads out of the document; copy what it means into $defs`;
}

function atPointer(root: JsonSchema, reference: string): JsonSchema | undefined {
  let value: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Object.getOwnPropertyDescriptor(value, name)?.value;
  }
  return isSchema(value) ? value : undefined;
}

/** Schemas by `$id` and by anchor, gathered in one bounded walk. */
function namedSchemas(root: JsonSchema): ReadonlyMap<string, JsonSchema> {
  const named = new Map<string, JsonSchema>();
  let nodes = 0;
  const visit = (schema: JsonSchema, depth: number): JsonSchema => {
    nodes += 1;
    if (nodes > MAX_SCHEMA_NODES)
      throw new ContractError('CTR_SCHEMA_INVALID', `the schema has more than ${MAX_SCHEMA_NODES} parts`);
    if (depth > MAX_SCHEMA_DEPTH)
      throw new ContractError('CTR_SCHEMA_INVALID', `the schema is nested deeper than ${MAX_SCHEMA_DEPTH} levels`);
    if (!isSchemaObject(schema)) return schema;
    for (const name of names(schema)) if (!named.has(name)) named.set(name, schema);
    mapSubschemas(schema, (inner) => visit(inner, depth + 1));
    return schema;
  };
  visit(root, 0);
  return named;
}

function names(schema: SchemaObject): readonly string[] {
  const { $id: id, $anchor: anchor, $dynamicAnchor: dynamicAnchor } = schema;
  return [
    ...(typeof id === 'string' ? [id] : []),
    ...(typeof anchor === 'string' ? [`#${anchor}`] : []),
    ...(typeof dynamicAnchor === 'string' ? [`#${dynamicAnchor}`] : []),
  ];
}

import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ContractError } from '../contract-error.ts';
import { pointer } from '../payload/json-problem.ts';
import { isSchema, mapSubschemas } from '../validation/map-subschemas.ts';
import type { JsonSchema, SchemaObject } from '../validation/plain-schema.ts';
import { withGatheredDefinitions } from './gathered-definitions.ts';
import { withLocalReferences } from './local-references.ts';
import { matches } from './logic/holds.ts';
import { namedSchemas } from './logic/translate.ts';
import { inOwnDialect } from './own-keywords.ts';
import { type Dialect, dialectOf, type SchemaDocument, schemaDocument } from './schema-document.ts';

/**
 * Makes sure that a value is a schema that can be worked with.
 *
 * @throws ContractError `CTR_SCHEMA_INVALID` naming the path: malformed, too large, a reference that leads nowhere, out of the document
 * or around in a circle, a pattern that does not compile, a number that is no JSON number.
 */
export function checkedSchema(value: unknown): JsonSchema {
  if (!isSchema(value))
    throw invalid([
      `/: a schema is an object or a boolean, not ${value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value}`,
    ]);
  // Bounds the size before anything else walks the schema.
  schemaDocument(value);
  const gathered = withGatheredDefinitions(value);
  const malformed = metaschemaProblems(gathered);
  if (malformed.length > 0) throw invalid(malformed);
  const problems = [
    ...[...partsOf(gathered)].flatMap(({ schema, path }) => partProblems(schema, path)),
    ...brokenReferences(value),
  ];
  if (problems.length > 0) throw invalid(problems.slice(0, 20));
  return value;
}

/** References count in the form that comparisons work with; where they are broken there, the schema as written says it better. */
function brokenReferences(schema: JsonSchema): readonly string[] {
  const found = referencesIn(withLocalReferences(inOwnDialect(schema)));
  const asWritten = found.length === 0 ? [] : referencesIn(schema);
  return asWritten.length > 0 ? asWritten : found;
}

function referencesIn(root: JsonSchema): readonly string[] {
  const document = schemaDocument(root);
  return [...partsOf(root)].flatMap(({ schema, path }) => {
    const reference = schema['$ref'] ?? schema['$dynamicRef'];
    return typeof reference === 'string'
      ? referenceProblems(schema, reference, document).map((problem) => `${path}/$ref: ${problem}`)
      : [];
  });
}

function invalid(problems: readonly string[]): ContractError {
  return new ContractError('CTR_SCHEMA_INVALID', 'the schema cannot be worked with:', problems);
}

/** Every schema object inside a schema, with its path. */
export function* partsOf(
  schema: JsonSchema,
  path = '',
): Iterable<{ readonly schema: SchemaObject; readonly path: string }> {
  if (typeof schema === 'boolean') return;
  yield { schema, path };
  const inner: (readonly [JsonSchema, string])[] = [];
  mapSubschemas(schema, (part, keyword, name) => {
    inner.push([part, path + pointer(name === undefined ? [keyword] : [keyword, name])]);
    return part;
  });
  for (const [part, at] of inner) yield* partsOf(part, at);
}

const metaschemas = new Map<Dialect, Ajv | Ajv2019 | Ajv2020>();
const DIALECTS = {
  'draft-07': { Validator: Ajv, metaschema: 'http://json-schema.org/draft-07/schema' },
  '2019-09': { Validator: Ajv2019, metaschema: 'https://json-schema.org/draft/2019-09/schema' },
  '2020-12': { Validator: Ajv2020, metaschema: 'https://json-schema.org/draft/2020-12/schema' },
} as const satisfies Readonly<Record<Dialect, object>>;

function metaschemaProblems(schema: JsonSchema): readonly string[] {
  const problems = problemsIn(schema, dialectOf(schema));
  if (problems.length === 0 || typeof schema === 'boolean' || '$schema' in schema) return problems;
  // A schema that does not say so may be a draft-07 one, with tuples written as a list of items.
  return problemsIn(withNewTuples(schema), '2020-12').length === 0 ? [] : problems;
}

function withNewTuples(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const renamed = mapSubschemas(schema, withNewTuples);
  const { items, additionalItems, ...rest } = renamed;
  return Array.isArray(items) ? { ...rest, prefixItems: items, items: additionalItems ?? true } : renamed;
}

function problemsIn(schema: JsonSchema, dialect: Dialect): readonly string[] {
  const { Validator, metaschema } = DIALECTS[dialect];
  let ajv = metaschemas.get(dialect);
  if (ajv === undefined) {
    ajv = new Validator({ strict: false, validateFormats: false, logger: false, allErrors: false });
    metaschemas.set(dialect, ajv);
  }
  const validate = ajv.getSchema(metaschema);
  if (validate === undefined || validate(schema) === true) return [];
  return (validate.errors ?? []).map((error) => `${error.instancePath || '/'}: ${error.message ?? error.keyword}`);
}

function partProblems(schema: SchemaObject, path: string): readonly string[] {
  const problems: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (typeof value === 'number' && !Number.isFinite(value))
      problems.push(`${path}/${keyword}: the number is too large for JSON as JavaScript reads it`);
  }
  for (const pattern of patternsOf(schema))
    if (matches(pattern, '') === null)
      problems.push(`${path || '/'}: the pattern ${JSON.stringify(pattern)} does not compile`);
  return problems;
}

function patternsOf(schema: SchemaObject): readonly string[] {
  const { pattern, patternProperties } = schema;
  return [...(typeof pattern === 'string' ? [pattern] : []), ...Object.keys(patternProperties ?? {})];
}

/** A reference must lead to a schema, and not back to itself without a member or an element in between. */
function referenceProblems(start: SchemaObject, reference: string, document: SchemaDocument): readonly string[] {
  try {
    const pending: JsonSchema[] = [document.resolve(reference)];
    const seen = new Set<JsonSchema>();
    for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
      if (schema === start) return [`the reference ${JSON.stringify(reference)} leads back to itself`];
      if (typeof schema === 'boolean' || seen.has(schema)) continue;
      seen.add(schema);
      pending.push(...samePlace(schema, document));
    }
    return [];
  } catch (error) {
    if (error instanceof ContractError) return [error.message];
    throw error;
  }
}

/** The schemas that apply to the same value as the schema itself. */
export function samePlace(schema: SchemaObject, document: SchemaDocument): readonly JsonSchema[] {
  const reference = schema['$ref'];
  const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) =>
    Array.isArray(schema[keyword]) ? schema[keyword].filter(isSchema) : [],
  );
  const dependent = [...namedSchemas(schema['dependentSchemas']), ...namedSchemas(schema['dependencies'])];
  const single = ['not', 'if', 'then', 'else'].map((keyword) => schema[keyword]).filter(isSchema);
  return [
    ...(typeof reference === 'string' ? [document.resolve(reference)] : []),
    ...lists,
    ...single,
    ...dependent.map(([, part]) => part),
  ];
}

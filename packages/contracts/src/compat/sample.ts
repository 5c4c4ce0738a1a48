import { isSchema } from '../validation/map-subschemas.ts';
import { isSchemaObject, type JsonSchema, type SchemaObject } from '../validation/plain-schema.ts';
import { Evaluator } from './evaluate.ts';
import type { JsonValue } from './json-value.ts';
import { tupleOf } from './logic/array-parts.ts';
import { namedSchemas } from './logic/translate.ts';
import { findText } from './regex/find-text.ts';
import type { SchemaDocument } from './schema-document.ts';

/** Enough to meet each boundary of an ordinary schema; a sample costs two evaluations. */
const MAX_RECORDS = 400;
/** Characters of all samples together, so that schemas with thousands of members stay affordable. */
const MAX_CHARACTERS = 400_000;
const MAX_DEPTH = 6;
const ORDINARY: readonly JsonValue[] = [null, true, 0, 1, -1, 1.5, '', 'a', 'x'.repeat(40), [], {}];

/**
 * Records around the boundaries that the schemas name: its constants, limits and a step beyond them, each member present and absent.
 * They owe nothing to the solver, so they would show a mistake of it.
 */
export function* sampleRecords(documents: readonly SchemaDocument[]): Iterable<JsonValue> {
  let count = 0;
  let characters = 0;
  const seen = new Set<string>();
  for (const document of documents) {
    for (const record of new Sampler(document).values(document.root, 0)) {
      const text = JSON.stringify(record);
      characters += text.length;
      if (characters > MAX_CHARACTERS) return;
      if (seen.has(text)) continue;
      seen.add(text);
      yield record;
      count += 1;
      if (count >= MAX_RECORDS) return;
    }
  }
}

const TYPICAL: Readonly<Record<string, JsonValue>> = {
  string: 'a',
  integer: 1,
  number: 1,
  boolean: true,
  null: null,
  array: [],
  object: {},
};

/** Formats are annotations to the checker, but records for other purposes should honour them. */
const FORMAT_EXAMPLES: Readonly<Record<string, string>> = {
  date: '2024-02-29',
  'date-time': '2024-02-29T12:00:00Z',
  time: '12:00:00Z',
  duration: 'P1D',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  email: 'ada@example.org',
  hostname: 'example.org',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.org/a',
  'uri-reference': '/a',
};

function textLike(pattern: string): string | null {
  const text = findText({ matching: [pattern], notMatching: [], excluded: [], minLength: 0, maxLength: Infinity });
  return typeof text === 'string' ? null : text.found;
}

class Sampler {
  readonly #document: SchemaDocument;
  readonly #evaluator: Evaluator;

  constructor(document: SchemaDocument) {
    this.#document = document;
    this.#evaluator = new Evaluator(document);
  }

  /** Interesting values for a schema, those that it suggests first. */
  *values(schema: JsonSchema, depth: number): Iterable<JsonValue> {
    if (depth > MAX_DEPTH) return;
    if (typeof schema === 'boolean') {
      yield* ORDINARY;
      return;
    }
    yield* this.#suggested(schema);
    yield* this.#objects(schema, depth);
    yield* this.#arrays(schema, depth);
    for (const part of this.#parts(schema)) yield* this.values(part, depth + 1);
    yield* ORDINARY;
  }

  *#suggested(schema: SchemaObject): Iterable<JsonValue> {
    const { format } = schema;
    if (typeof format === 'string' && FORMAT_EXAMPLES[format] !== undefined) yield FORMAT_EXAMPLES[format];
    const { const: constant, enum: values, default: fallback, examples, minLength, maxLength } = schema;
    // Schemas are JSON, so what they suggest is JSON.
    for (const value of [constant, fallback, ...[values, examples].flat()])
      if (value !== undefined) yield value as JsonValue;
    for (const keyword of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']) {
      const limit = schema[keyword];
      if (typeof limit === 'number') yield* [limit, limit + 1, limit - 1, limit / 2];
    }
    for (const limit of [minLength, maxLength])
      if (typeof limit === 'number' && limit < 10_000)
        yield* [limit, limit + 1, Math.max(0, limit - 1)].map((length) => 'x'.repeat(length));
  }

  *#objects(schema: SchemaObject, depth: number): Iterable<JsonValue> {
    const members = namedSchemas(schema['properties']);
    if (members.length === 0) return;
    const first = members.map(([name, member]) => [name, this.#first(member, depth)] as const);
    yield Object.fromEntries(first);
    for (const [name, member] of members) {
      yield Object.fromEntries(first.filter(([other]) => other !== name));
      let taken = 0;
      for (const value of this.values(member, depth + 1)) {
        yield Object.fromEntries([...first.filter(([other]) => other !== name), [name, value]]);
        taken += 1;
        if (taken >= 12) break;
      }
    }
    yield Object.fromEntries([...first, ['other', 1]]);
  }

  *#arrays(schema: SchemaObject, depth: number): Iterable<JsonValue> {
    const { prefix, rest } = tupleOf(schema);
    const { contains } = schema;
    if (prefix.length === 0 && rest === null && !isSchema(contains)) return;
    const tuple = prefix.map((item) => this.#first(item, depth));
    yield tuple;
    if (isSchema(contains)) yield [...tuple, this.#first(contains, depth)];
    let taken = 0;
    for (const value of this.values(rest ?? true, depth + 1)) {
      yield [...tuple, value];
      yield [...tuple, value, value];
      taken += 1;
      if (taken >= 12) break;
    }
  }

  /** One value for a member that is only there to make the rest complete: an accepted one, if it is among the first few. */
  #first(schema: JsonSchema, depth: number): JsonValue {
    let first: JsonValue | undefined;
    let tried = 0;
    for (const value of this.#likely(schema, depth)) {
      if (this.#evaluator.accepts(schema, value)) return value;
      first ??= value;
      tried += 1;
      if (tried >= 24) break;
    }
    return first ?? null;
  }

  *#likely(schema: JsonSchema, depth: number): Iterable<JsonValue> {
    if (isSchemaObject(schema) && !('properties' in schema) && !('items' in schema)) {
      const { format, pattern, type } = schema;
      const ofFormat = typeof format === 'string' ? FORMAT_EXAMPLES[format] : undefined;
      if (ofFormat !== undefined) yield ofFormat;
      const text = typeof pattern === 'string' ? textLike(pattern) : null;
      if (text !== null) yield text;
      const typical = TYPICAL[String([type].flat()[0])];
      if (typical !== undefined) yield typical;
    }
    yield* this.values(schema, depth + 1);
  }

  *#parts(schema: SchemaObject): Iterable<JsonSchema> {
    const reference = schema['$ref'];
    if (typeof reference === 'string') yield this.#document.resolve(reference);
    for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
      const parts = schema[keyword];
      if (Array.isArray(parts)) yield* parts.filter(isSchema);
    }
    for (const keyword of ['if', 'then', 'else', 'not']) {
      const part = schema[keyword];
      if (isSchema(part)) yield part;
    }
  }
}

import { isSchema } from '../../validation/map-subschemas.ts';
import type { JsonSchema, SchemaObject } from '../../validation/plain-schema.ts';
import { isKnownKeyword, MEANINGFUL_ANNOTATIONS } from '../../validation/schema-keywords.ts';
import { canonicalText } from '../json-value.ts';
import { tupleOf } from '../logic/array-parts.ts';
import { namedSchemas } from '../logic/translate.ts';
import type { SchemaDocument } from '../schema-document.ts';

/** Everything that a schema says about one place in a record, gathered through `allOf`, `$ref` and conditions. */
export interface Location {
  readonly members: ReadonlyMap<string, readonly Declaration[]>;
  readonly required: ReadonlySet<string>;
  /** Schemas of map values by pattern, and of all further members. */
  readonly mapValues: ReadonlyMap<string, readonly JsonSchema[]>;
  readonly elements: ReadonlyMap<string, readonly JsonSchema[]>;
  /** Values of the annotations that carry meaning, by keyword. */
  readonly annotations: ReadonlyMap<string, ReadonlySet<string>>;
  readonly patterns: ReadonlySet<string>;
  readonly unknownKeywords: ReadonlySet<string>;
  /** The OpenAPI keyword `discriminator`, which some readers dispatch on. */
  readonly discriminators: ReadonlySet<string>;
  readonly unions: readonly Union[];
}
export interface Union {
  readonly keyword: 'anyOf' | 'oneOf';
  readonly branches: readonly JsonSchema[];
}
/** A member as one schema object declares it. */
export interface Declaration {
  readonly declaredBy: SchemaObject;
  readonly schema: JsonSchema;
}

/** @param alternatives whether the branches of unions are kept `apart` in `unions`, or gathered `together` with the rest. */
export function locationOf(
  schemas: readonly JsonSchema[],
  document: SchemaDocument,
  alternatives: 'apart' | 'together',
): Location {
  const gathering = new Gathering(document, alternatives === 'together');
  for (const schema of schemas) gathering.add(schema, true);
  return gathering;
}

class Gathering implements Location {
  readonly members = new Map<string, Declaration[]>();
  readonly required = new Set<string>();
  readonly mapValues = new Map<string, JsonSchema[]>();
  readonly elements = new Map<string, JsonSchema[]>();
  readonly annotations = new Map<string, Set<string>>();
  readonly patterns = new Set<string>();
  readonly unknownKeywords = new Set<string>();
  readonly discriminators = new Set<string>();
  readonly unions: Union[] = [];
  readonly #seen = new Set<SchemaObject>();
  readonly #document: SchemaDocument;
  readonly #together: boolean;

  constructor(document: SchemaDocument, together: boolean) {
    this.#document = document;
    this.#together = together;
  }

  /** @param always whether the schema applies whatever the record is; only then its `required` is certain. */
  add(schema: JsonSchema, always: boolean): void {
    if (typeof schema === 'boolean' || this.#seen.has(schema)) return;
    this.#seen.add(schema);
    const reference = schema['$ref'] ?? schema['$dynamicRef'];
    if (typeof reference === 'string') this.add(this.#document.resolve(reference), always);
    if (typeof reference === 'string' && this.#document.dialect === 'draft-07') return;
    this.#addMembers(schema, always);
    this.#addElements(schema);
    this.#addAnnotations(schema);
    this.#addParts(schema, always);
  }

  #addMembers(schema: SchemaObject, always: boolean): void {
    for (const [name, member] of namedSchemas(schema['properties']))
      append(this.members, name, { declaredBy: schema, schema: member });
    for (const [pattern, each] of namedSchemas(schema['patternProperties'])) {
      append(this.mapValues, pattern, each);
    }
    if (isSchema(schema['additionalProperties'])) append(this.mapValues, '', schema['additionalProperties']);
    if (always && Array.isArray(schema['required']))
      for (const name of schema['required']) this.required.add(String(name));
  }

  #addElements(schema: SchemaObject): void {
    const { prefix, rest } = tupleOf(schema);
    for (const [index, item] of prefix.entries()) append(this.elements, `prefixItems/${index}`, item);
    if (rest !== null) append(this.elements, 'items', rest);
    if (isSchema(schema['contains'])) append(this.elements, 'contains', schema['contains']);
  }

  #addAnnotations(schema: SchemaObject): void {
    for (const [keyword, value] of Object.entries(schema)) {
      if (MEANINGFUL_ANNOTATIONS.includes(keyword))
        this.annotations.set(keyword, new Set([...(this.annotations.get(keyword) ?? []), canonicalText(value)]));
      if (keyword === 'discriminator') this.discriminators.add(canonicalText(value));
      if (keyword === 'pattern' && typeof value === 'string') this.patterns.add(value);
      if (!isKnownKeyword(keyword)) this.unknownKeywords.add(`${keyword}: ${canonicalText(value)}`);
    }
  }

  #addParts(schema: SchemaObject, always: boolean): void {
    if (Array.isArray(schema['allOf'])) for (const part of schema['allOf'].filter(isSchema)) this.add(part, always);
    for (const keyword of ['then', 'else', 'if', 'not', 'propertyNames'])
      if (isSchema(schema[keyword])) this.add(schema[keyword], false);
    for (const [, dependent] of namedSchemas(schema['dependentSchemas'])) this.add(dependent, false);
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const branches = schema[keyword];
      if (!Array.isArray(branches)) continue;
      if (this.#together) for (const branch of branches.filter(isSchema)) this.add(branch, false);
      else this.unions.push({ keyword, branches: branches.filter(isSchema) });
    }
  }
}

function append<T>(lists: Map<string, T[]>, name: string, item: T): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [item]);
  else list.push(item);
}

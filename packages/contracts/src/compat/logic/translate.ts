import { isSchema } from '../../validation/map-subschemas.ts';
import { isSchemaObject, type JsonSchema, type SchemaObject } from '../../validation/plain-schema.ts';
import type { SchemaDocument } from '../schema-document.ts';
import { arrayParts } from './array-parts.ts';
import { provablyDisjoint } from './disjoint.ts';
import type { Formula } from './formula.ts';
import type { Formulas } from './formulas.ts';
import { objectParts } from './object-parts.ts';
import { constant, numberParts, stringParts, typed } from './scalar-parts.ts';
import { unevaluatedParts } from './unevaluated.ts';

/** Translates the schemas of one document into formulas. */
export class Translator {
  readonly make: Formulas;
  readonly document: SchemaDocument;
  readonly #name: string;
  readonly #translated = new Map<SchemaObject, Formula>();
  readonly #underWay = new Map<SchemaObject, number>();

  /** @param name tells the recursive definitions of two documents apart. */
  constructor(document: SchemaDocument, make: Formulas, name: string) {
    this.document = document;
    this.make = make;
    this.#name = name;
  }

  /** What the schema accepts. A definition that is met inside itself becomes a reference, unfolded on demand. */
  formula(schema: JsonSchema): Formula {
    if (typeof schema === 'boolean') return schema ? this.make.true : this.make.false;
    const known = this.#translated.get(schema);
    if (known !== undefined) return known;
    const number = this.#underWay.get(schema);
    if (number !== undefined)
      return this.make.ref(`${this.#name} ${number}`, () => this.#translated.get(schema) ?? this.make.true);
    this.#underWay.set(schema, this.#underWay.size);
    const formula = this.make.and(this.#parts(schema));
    this.#translated.set(schema, formula);
    return formula;
  }

  /** The schema that a `$ref` of the object names, if it has one. */
  referenced(schema: SchemaObject): JsonSchema | null {
    const reference = schema['$ref'] ?? schema['$dynamicRef'];
    return typeof reference === 'string' ? this.document.resolve(reference) : null;
  }

  #parts(schema: SchemaObject): readonly Formula[] {
    const referenced = this.referenced(schema);
    const reference = referenced === null ? [] : [this.formula(referenced)];
    // Draft-07 ignores what stands beside a reference.
    if (referenced !== null && this.document.dialect === 'draft-07') return reference;
    return [
      ...reference,
      ...this.#typeParts(schema),
      ...numberParts(schema, this.make),
      ...stringParts(schema, this.make),
      ...arrayParts(schema, this),
      ...objectParts(schema, this),
      ...this.#compositionParts(schema),
      ...unevaluatedParts(schema, this),
      // What a dynamic reference means is not known here; what is left of them is in no comparison.
      ...('$recursiveRef' in schema ? [this.make.atom({ op: 'opaque', what: '$recursiveRef' })] : []),
    ];
  }

  #typeParts(schema: SchemaObject): readonly Formula[] {
    const { type, enum: values } = schema;
    const parts: Formula[] = [];
    if (type !== undefined)
      parts.push(
        this.make.or([type].flat().map((name: unknown) => typed(typeof name === 'string' ? name : '', this.make))),
      );
    if ('const' in schema) parts.push(constant(schema['const'], this.make));
    if (Array.isArray(values)) parts.push(this.make.or(values.map((value: unknown) => constant(value, this.make))));
    return parts;
  }

  #compositionParts(schema: SchemaObject): readonly Formula[] {
    const { allOf, anyOf, oneOf, not, if: condition, then, else: otherwise } = schema;
    const parts: Formula[] = [];
    if (Array.isArray(allOf)) parts.push(...this.list(allOf));
    if (Array.isArray(anyOf)) parts.push(this.make.or(this.list(anyOf)));
    if (Array.isArray(oneOf)) parts.push(this.#exactlyOne(this.list(oneOf)));
    if (isSchema(not)) parts.push(this.make.not(this.formula(not)));
    if (isSchema(condition)) {
      const holds = this.formula(condition);
      if (isSchema(then)) parts.push(this.make.or([this.make.not(holds), this.formula(then)]));
      if (isSchema(otherwise)) parts.push(this.make.or([holds, this.formula(otherwise)]));
    }
    return parts;
  }

  list(schemas: readonly unknown[]): readonly Formula[] {
    return schemas.filter(isSchema).map((schema) => this.formula(schema));
  }

  /** Branches that cannot meet need no pairwise exclusion, which would square the size of every comparison. */
  #exactlyOne(branches: readonly Formula[]): Formula {
    const { make } = this;
    const disjoint = branches.every((branch, index) =>
      branches.slice(index + 1).every((other) => provablyDisjoint(branch, other, make)),
    );
    if (disjoint) return make.or(branches);
    return make.or(
      branches.map((branch, index) =>
        make.and([branch, ...branches.filter((_, other) => other !== index).map((other) => make.not(other))]),
      ),
    );
  }
}

/** The schemas of a keyword that maps names to schemas. */
export function namedSchemas(value: unknown): readonly (readonly [string, JsonSchema])[] {
  return isSchemaObject(value)
    ? Object.entries(value).filter((entry): entry is [string, JsonSchema] => isSchema(entry[1]))
    : [];
}

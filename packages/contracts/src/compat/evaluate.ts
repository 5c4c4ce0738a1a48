import { isSchema } from '../validation/map-subschemas.ts';
import type { JsonSchema, SchemaObject } from '../validation/plain-schema.ts';
import { evaluateArray } from './evaluate-array.ts';
import { evaluateObject } from './evaluate-object.ts';
import { evaluateScalar } from './evaluate-scalar.ts';
import { COVERS_NOTHING, type Covered, type Evaluation, invalidAt, isValid, union, valid } from './evaluation.ts';
import type { JsonValue } from './json-value.ts';
import { MOVED, type SchemaDocument } from './schema-document.ts';

/**
 * Evaluates a value against a schema as the specification says, keyword by keyword. It shares nothing with the solver, so that each
 * checks the other: a counter-example counts only if this function confirms it. Formats are annotations here.
 */
export class Evaluator {
  readonly document: SchemaDocument;

  constructor(document: SchemaDocument) {
    this.document = document;
  }

  evaluate(schema: JsonSchema, value: JsonValue, path = ''): Evaluation {
    if (schema === true) return valid(COVERS_NOTHING);
    if (schema === false) return invalidAt(path);
    const reference = schema['$ref'] ?? schema['$dynamicRef'];
    const referenced =
      typeof reference === 'string'
        ? this.evaluate(
            this.document.resolve(reference),
            value,
            reference.startsWith(`#/$defs/${MOVED}`) ? path : `${path}/$ref`,
          )
        : valid(COVERS_NOTHING);
    if (typeof reference === 'string' && this.document.dialect === 'draft-07') return referenced;
    const scalar = evaluateScalar(schema, value, path);
    if (scalar !== null) return invalidAt(scalar);
    let covered = COVERS_NOTHING;
    for (const part of this.#parts(schema, value, path, referenced)) {
      if (!isValid(part)) return part;
      covered = union(covered, part.covered);
    }
    return this.#unevaluated(schema, value, path, covered);
  }

  accepts(schema: JsonSchema, value: JsonValue): boolean {
    return isValid(this.evaluate(schema, value));
  }

  /** One by one, since the first that fails settles the matter. */
  *#parts(schema: SchemaObject, value: JsonValue, path: string, referenced: Evaluation): Iterable<Evaluation> {
    yield referenced;
    yield* this.#composed(schema, value, path);
    yield evaluateObject(this, schema, value, path);
    yield evaluateArray(this, schema, value, path);
  }

  *#composed(schema: SchemaObject, value: JsonValue, path: string): Iterable<Evaluation> {
    const { not, if: condition, then, else: otherwise } = schema;
    yield* this.#each(schema, 'allOf', value, path);
    yield this.#anyOf(schema, value, path);
    yield this.#oneOf(schema, value, path);
    if (isSchema(not) && this.accepts(not, value)) yield invalidAt(`${path}/not`);
    if (!isSchema(condition)) return;
    const met = this.evaluate(condition, value, `${path}/if`);
    if (isValid(met)) yield met;
    if (isValid(met) && isSchema(then)) yield this.evaluate(then, value, `${path}/then`);
    if (!isValid(met) && isSchema(otherwise)) yield this.evaluate(otherwise, value, `${path}/else`);
  }

  #anyOf(schema: SchemaObject, value: JsonValue, path: string): Evaluation {
    if (!Array.isArray(schema['anyOf'])) return valid(COVERS_NOTHING);
    const held = this.#each(schema, 'anyOf', value, path).flatMap((branch) =>
      isValid(branch) ? [branch.covered] : [],
    );
    return held.length > 0 ? valid(held.reduce(union, COVERS_NOTHING)) : invalidAt(`${path}/anyOf`);
  }

  #oneOf(schema: SchemaObject, value: JsonValue, path: string): Evaluation {
    if (!Array.isArray(schema['oneOf'])) return valid(COVERS_NOTHING);
    const held = this.#each(schema, 'oneOf', value, path).flatMap((branch) =>
      isValid(branch) ? [branch.covered] : [],
    );
    const [only] = held;
    return only !== undefined && held.length === 1 ? valid(only) : invalidAt(`${path}/oneOf`);
  }

  #each(schema: SchemaObject, keyword: string, value: JsonValue, path: string): readonly Evaluation[] {
    const branches = schema[keyword];
    if (!Array.isArray(branches)) return [];
    return branches
      .filter(isSchema)
      .map((branch, index) => this.evaluate(branch, value, `${path}/${keyword}/${index}`));
  }

  #unevaluated(schema: SchemaObject, value: JsonValue, path: string, covered: Covered): Evaluation {
    const { unevaluatedProperties: members, unevaluatedItems: items } = schema;
    if (isSchema(members) && typeof value === 'object' && value !== null && !Array.isArray(value)) {
      const rest = Object.entries(value).filter(([name]) => !covered.names.has(name));
      if (rest.some(([, member]: readonly [string, JsonValue]) => !this.accepts(members, member)))
        return invalidAt(`${path}/unevaluatedProperties`);
      return valid(union(covered, { names: new Set(rest.map(([name]) => name)), items: new Set() }));
    }
    if (isSchema(items) && Array.isArray(value)) {
      const rest = [...value.keys()].filter((index) => !covered.items.has(index));
      if (rest.some((index) => !this.accepts(items, value[index] as JsonValue)))
        return invalidAt(`${path}/unevaluatedItems`);
      return valid(union(covered, { names: new Set(), items: new Set(rest) }));
    }
    return valid(covered);
  }
}

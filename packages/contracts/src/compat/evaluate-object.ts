import { pointer } from '../payload/json-problem.ts';
import { isSchema } from '../validation/map-subschemas.ts';
import type { JsonSchema, SchemaObject } from '../validation/plain-schema.ts';
import type { Evaluator } from './evaluate.ts';
import { COVERS_NOTHING, type Evaluation, invalidAt, isValid, union, valid } from './evaluation.ts';
import { isJsonObject, type JsonValue } from './json-value.ts';
import { matches } from './logic/holds.ts';
import { namedSchemas } from './logic/translate.ts';

export function evaluateObject(evaluator: Evaluator, schema: SchemaObject, value: JsonValue, path: string): Evaluation {
  if (!isJsonObject(value)) return valid(COVERS_NOTHING);
  const { required, minProperties, maxProperties, propertyNames } = schema;
  const names = Object.keys(value);
  if (Array.isArray(required) && required.some((name: unknown) => !Object.hasOwn(value, String(name))))
    return invalidAt(`${path}/required`);
  if (typeof minProperties === 'number' && names.length < minProperties) return invalidAt(`${path}/minProperties`);
  if (typeof maxProperties === 'number' && names.length > maxProperties) return invalidAt(`${path}/maxProperties`);
  if (isSchema(propertyNames) && names.some((name) => !evaluator.accepts(propertyNames, name)))
    return invalidAt(`${path}/propertyNames`);
  const dependent = dependencies(evaluator, schema, value, path);
  return isValid(dependent) ? merged(dependent, members(evaluator, schema, value, path)) : dependent;
}

function members(
  evaluator: Evaluator,
  schema: SchemaObject,
  value: { readonly [name: string]: JsonValue },
  path: string,
): Evaluation {
  const { additionalProperties } = schema;
  const properties = new Map(namedSchemas(schema['properties']));
  const patterns = namedSchemas(schema['patternProperties']);
  const covered = new Set<string>();
  for (const [name, member] of Object.entries(value)) {
    const own = properties.get(name);
    const applied: (readonly [string, JsonSchema])[] =
      own === undefined ? [] : [[`/properties${pointer([name])}`, own]];
    for (const [pattern, each] of patterns)
      if (matches(pattern, name) === true) applied.push([`/patternProperties${pointer([pattern])}`, each]);
    if (applied.length === 0 && isSchema(additionalProperties))
      applied.push(['/additionalProperties', additionalProperties]);
    for (const [step, each] of applied) {
      const evaluation = evaluator.evaluate(each, member, path + step);
      if (!isValid(evaluation)) return evaluation;
      covered.add(name);
    }
  }
  return valid({ names: covered, items: new Set() });
}

function dependencies(
  evaluator: Evaluator,
  schema: SchemaObject,
  value: { readonly [name: string]: JsonValue },
  path: string,
): Evaluation {
  let result = valid(COVERS_NOTHING);
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
    const dependents: readonly (readonly [string, unknown])[] = Object.entries(schema[keyword] ?? {});
    for (const [name, dependency] of dependents) {
      if (!Object.hasOwn(value, name)) continue;
      if (Array.isArray(dependency) && dependency.some((other: unknown) => !Object.hasOwn(value, String(other))))
        return invalidAt(path + pointer([keyword, name]));
      if (isSchema(dependency))
        result = merged(result, evaluator.evaluate(dependency, value, path + pointer([keyword, name])));
    }
  }
  return result;
}

export function merged(a: Evaluation, b: Evaluation): Evaluation {
  if (!isValid(a)) return a;
  return isValid(b) ? valid(union(a.covered, b.covered)) : b;
}

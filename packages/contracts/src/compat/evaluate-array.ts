import { isSchema } from '../validation/map-subschemas.ts';
import type { SchemaObject } from '../validation/plain-schema.ts';
import type { Evaluator } from './evaluate.ts';
import { COVERS_NOTHING, type Evaluation, invalidAt, isValid, valid } from './evaluation.ts';
import { canonicalText, type JsonValue } from './json-value.ts';
import { tupleOf } from './logic/array-parts.ts';

export function evaluateArray(evaluator: Evaluator, schema: SchemaObject, value: JsonValue, path: string): Evaluation {
  if (!Array.isArray(value)) return valid(COVERS_NOTHING);
  const list: readonly JsonValue[] = value;
  const { minItems, maxItems, uniqueItems } = schema;
  if (typeof minItems === 'number' && list.length < minItems) return invalidAt(`${path}/minItems`);
  if (typeof maxItems === 'number' && list.length > maxItems) return invalidAt(`${path}/maxItems`);
  if (uniqueItems === true && new Set(list.map(canonicalText)).size < list.length)
    return invalidAt(`${path}/uniqueItems`);
  const { prefix, rest } = tupleOf(schema);
  const covered = new Set<number>();
  for (const [index, item] of list.entries()) {
    const each = prefix[index] ?? rest;
    if (each === null) continue;
    const evaluation = evaluator.evaluate(each, item, `${path}/items`);
    if (!isValid(evaluation)) return evaluation;
    covered.add(index);
  }
  return contained(evaluator, schema, list, { path, covered });
}

function contained(
  evaluator: Evaluator,
  schema: SchemaObject,
  list: readonly JsonValue[],
  { path, covered }: { readonly path: string; readonly covered: Set<number> },
): Evaluation {
  const { contains, minContains, maxContains } = schema;
  if (isSchema(contains)) {
    const counted = evaluator.document.dialect !== 'draft-07';
    const matching = [...list.keys()].filter((index) => evaluator.accepts(contains, list[index] as JsonValue));
    if (matching.length < (counted && typeof minContains === 'number' ? minContains : 1))
      return invalidAt(`${path}/contains`);
    if (counted && typeof maxContains === 'number' && matching.length > maxContains)
      return invalidAt(`${path}/maxContains`);
    if (evaluator.document.dialect === '2020-12') for (const index of matching) covered.add(index);
  }
  return valid({ names: new Set(), items: covered });
}

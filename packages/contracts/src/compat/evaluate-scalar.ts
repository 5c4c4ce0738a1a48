import type { SchemaObject } from '../validation/plain-schema.ts';
import { decimalOf, isMultipleOf } from './decimal.ts';
import { codePointLength, equalJson, type JsonValue, jsonTypeOf } from './json-value.ts';
import { matches } from './logic/holds.ts';

type Check = (limit: unknown, value: JsonValue) => boolean;

const onNumber =
  (compare: (value: number, limit: number) => boolean): Check =>
  (limit, value) =>
    typeof value !== 'number' || typeof limit !== 'number' || compare(value, limit);
const onString =
  (check: (value: string, limit: unknown) => boolean): Check =>
  (limit, value) =>
    typeof value !== 'string' || check(value, limit);

/** Whether a value passes a keyword, for the keywords that need no other schema. */
const CHECKS: Readonly<Record<string, Check>> = {
  type: (names, value) => [names].flat().some((name) => isOfType(String(name), value)),
  const: equalJson,
  enum: (values, value) => !Array.isArray(values) || values.some((listed: unknown) => equalJson(listed, value)),
  minimum: onNumber((value, limit) => value >= limit),
  exclusiveMinimum: onNumber((value, limit) => value > limit),
  maximum: onNumber((value, limit) => value <= limit),
  exclusiveMaximum: onNumber((value, limit) => value < limit),
  multipleOf: onNumber((value, limit) => isMultipleOf(decimalOf(value), decimalOf(limit))),
  minLength: onString((value, limit) => codePointLength(value) >= Number(limit)),
  maxLength: onString((value, limit) => codePointLength(value) <= Number(limit)),
  pattern: onString((value, limit) => matches(String(limit), value) !== false),
};

const checksOf = new WeakMap<SchemaObject, readonly (readonly [keyword: string, check: Check])[]>();

/** The path of the first such keyword that refuses the value, or null. */
export function evaluateScalar(schema: SchemaObject, value: JsonValue, path: string): string | null {
  let checks = checksOf.get(schema);
  if (checks === undefined) {
    checks = Object.entries(CHECKS).filter(([keyword]) => Object.hasOwn(schema, keyword));
    checksOf.set(schema, checks);
  }
  for (const [keyword, check] of checks) if (!check(schema[keyword], value)) return `${path}/${keyword}`;
  return null;
}

function isOfType(name: string, value: JsonValue): boolean {
  return name === 'integer' ? Number.isInteger(value) : jsonTypeOf(value) === name;
}

import type { SchemaObject } from '../../validation/plain-schema.ts';
import { JSON_TYPES, type JsonType, type JsonValue } from '../json-value.ts';
import type { Formula } from './formula.ts';
import type { Formulas } from './formulas.ts';

/** A name of the keyword `type`; an integer is a number without a fraction. */
export function typed(name: string, make: Formulas): Formula {
  if (name === 'integer') return make.and([make.type('number'), make.atom({ op: 'multiple', of: 1 })]);
  const type: JsonType | undefined = JSON_TYPES.find((known) => known === name);
  return type === undefined ? make.atom({ op: 'opaque', what: `type ${name}` }) : make.type(type);
}

/** Exactly this value. Objects and arrays are spelled out, so that they compare with schemas that describe the same. */
export function constant(value: unknown, make: Formulas): Formula {
  if (typeof value !== 'object' || value === null)
    return make.in([value as JsonValue & (string | number | boolean | null)]);
  if (Array.isArray(value))
    return make.and([
      make.type('array'),
      ...value.map((item: unknown, index) => make.atom({ op: 'item', index, each: constant(item, make) })),
      make.atom({ op: 'min-items', count: value.length }),
      make.not(make.atom({ op: 'min-items', count: value.length + 1 })),
    ]);
  const members = Object.entries(value);
  return make.and([
    make.type('object'),
    ...members.flatMap(([name, member]) => [
      make.atom({ op: 'has', name }),
      make.atom({ op: 'member', name, each: constant(member, make) }),
    ]),
    make.atom({ op: 'members', key: make.not(make.in(members.map(([name]) => name))), each: make.false }),
  ]);
}

export function numberParts(schema: SchemaObject, make: Formulas): readonly Formula[] {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = schema;
  const parts: Formula[] = [];
  if (typeof minimum === 'number') parts.push(make.atom({ op: 'above', bound: minimum, orEqual: true }));
  if (typeof exclusiveMinimum === 'number')
    parts.push(make.atom({ op: 'above', bound: exclusiveMinimum, orEqual: false }));
  if (typeof maximum === 'number') parts.push(make.atom({ op: 'below', bound: maximum, orEqual: true }));
  if (typeof exclusiveMaximum === 'number')
    parts.push(make.atom({ op: 'below', bound: exclusiveMaximum, orEqual: false }));
  if (typeof multipleOf === 'number') parts.push(make.atom({ op: 'multiple', of: multipleOf }));
  return parts.map((part) => make.onlyFor('number', part));
}

/** Formats are not modelled: they are annotations here, and the rule reports any change of them. */
export function stringParts(schema: SchemaObject, make: Formulas): readonly Formula[] {
  const { minLength, maxLength, pattern } = schema;
  const parts: Formula[] = [];
  if (typeof minLength === 'number' && minLength > 0) parts.push(make.atom({ op: 'min-length', count: minLength }));
  if (typeof maxLength === 'number') parts.push(make.not(make.atom({ op: 'min-length', count: maxLength + 1 })));
  if (typeof pattern === 'string') parts.push(make.atom({ op: 'pattern', pattern }));
  return parts.map((part) => make.onlyFor('string', part));
}

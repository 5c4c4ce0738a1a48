import { isSchema } from '../../validation/map-subschemas.ts';
import type { SchemaObject } from '../../validation/plain-schema.ts';
import type { Formula } from './formula.ts';
import type { Formulas } from './formulas.ts';
import { namedSchemas, type Translator } from './translate.ts';

export function objectParts(schema: SchemaObject, translator: Translator): readonly Formula[] {
  const { make } = translator;
  const { required, minProperties, maxProperties, propertyNames } = schema;
  const parts: Formula[] = [...memberParts(schema, translator), ...dependencyParts(schema, translator)];
  if (Array.isArray(required))
    parts.push(...required.map((name: unknown) => make.atom({ op: 'has', name: String(name) })));
  if (typeof minProperties === 'number' && minProperties > 0)
    parts.push(make.atom({ op: 'min-members', count: minProperties }));
  if (typeof maxProperties === 'number')
    parts.push(make.not(make.atom({ op: 'min-members', count: maxProperties + 1 })));
  if (isSchema(propertyNames)) parts.push(make.atom({ op: 'names', key: translator.formula(propertyNames) }));
  return parts.map((part) => make.onlyFor('object', part));
}

function memberParts(schema: SchemaObject, translator: Translator): readonly Formula[] {
  const { make } = translator;
  const { additionalProperties } = schema;
  const parts = [
    ...namedSchemas(schema['properties']).map(([name, member]) => {
      const each = translator.formula(member);
      return each === make.true ? each : make.atom({ op: 'member', name, each });
    }),
    ...namedSchemas(schema['patternProperties']).map(([pattern, member]) =>
      membersPart(make.atom({ op: 'pattern', pattern }), translator.formula(member), make),
    ),
  ];
  if (isSchema(additionalProperties))
    parts.push(membersPart(make.not(declaredNames(schema, make)), translator.formula(additionalProperties), make));
  return parts;
}

export function membersPart(key: Formula, each: Formula, make: Formulas): Formula {
  return each === make.true || key === make.false ? make.true : make.atom({ op: 'members', key, each });
}

/** The member names that `properties` and `patternProperties` speak about. */
export function declaredNames(schema: SchemaObject, make: Formulas): Formula {
  return make.or([
    make.in(namedSchemas(schema['properties']).map(([name]) => name)),
    ...namedSchemas(schema['patternProperties']).map(([pattern]) => make.atom({ op: 'pattern', pattern })),
  ]);
}

/** `dependentRequired`, `dependentSchemas`, and `dependencies`, which was both. */
function dependencyParts(schema: SchemaObject, translator: Translator): readonly Formula[] {
  const { make } = translator;
  const dependencies = ['dependentRequired', 'dependentSchemas', 'dependencies'].flatMap((keyword) => {
    const value = schema[keyword];
    return typeof value === 'object' && value !== null ? Object.entries(value) : [];
  });
  return dependencies.map(([name, dependency]: readonly [string, unknown]) => {
    const then = Array.isArray(dependency)
      ? make.and(dependency.map((other: unknown) => make.atom({ op: 'has', name: String(other) })))
      : isSchema(dependency)
        ? translator.formula(dependency)
        : make.true;
    return make.or([make.not(make.atom({ op: 'has', name })), then]);
  });
}

import { ASSERTED_FORMATS } from '../validation/formats.ts';
import type { SchemaObject } from '../validation/plain-schema.ts';
import { isKnownKeyword } from '../validation/schema-keywords.ts';
import type { PartProblem } from './lint.ts';

/**
 * The contract dialect: what every validator reads alike, and what the compatibility checker decides nearly always. For each keyword
 * outside of it, what to write instead.
 */
const INSTEAD: Readonly<Record<string, string>> = {
  allOf: 'write one object: Type.Composite([...]) instead of Type.Intersect',
  not: 'say what is allowed: an enum, a pattern, a bound',
  if: 'write a discriminated union, one alternative for each case',
  then: 'write a discriminated union, one alternative for each case',
  else: 'write a discriminated union, one alternative for each case',
  dependentRequired: 'group the members in an optional object that requires them',
  dependentSchemas: 'group the members in an optional object',
  dependencies: 'group the members in an optional object',
  patternProperties: 'write a list of { key, value }, or Type.Object({}, { additionalProperties: schema }) for a map',
  propertyNames: 'write a list of { key, value } with a pattern on key',
  unevaluatedProperties: 'leave it out: writers are closed and readers open anyway',
  unevaluatedItems: 'leave it out',
  prefixItems: 'write an object with named members instead of a tuple',
  additionalItems: 'write an object with named members instead of a tuple',
  contains: 'check it in code',
  minContains: 'check it in code',
  maxContains: 'check it in code',
  minProperties: 'require the members that must be there',
  maxProperties: 'check it in code; an added member would break it',
  nullable: 'write Type.Union([schema, Type.Null()]); validators disagree about this keyword',
  discriminator: 'leave it out; a required constant in each alternative is enough',
  $dynamicRef: 'write $ref',
  $dynamicAnchor: 'refer by a pointer into $defs',
  $recursiveRef: 'write $ref',
  $recursiveAnchor: 'refer by a pointer into $defs',
  $anchor: 'refer by a pointer into $defs',
};

const KNOWN_TYPES: readonly string[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

export function keywordProblems(schema: SchemaObject): readonly PartProblem[] {
  return [
    ...Object.keys(schema).flatMap((keyword) => outsideDialect(keyword)),
    ...typeProblems(schema),
    ...valueProblems(schema),
  ];
}

function outsideDialect(keyword: string): readonly PartProblem[] {
  const instead = INSTEAD[keyword];
  if (instead !== undefined)
    return [{ step: `/${keyword}`, problem: `${keyword} is outside the contract dialect`, instead }];
  return isKnownKeyword(keyword)
    ? []
    : [
        {
          step: `/${keyword}`,
          problem: `the keyword ${keyword} is unknown`,
          instead: 'leave it out, or write it in the description',
        },
      ];
}

function typeProblems(schema: SchemaObject): readonly PartProblem[] {
  const declared: readonly unknown[] = [schema['type']].flat();
  const strange = declared.filter((type) => type !== undefined && !KNOWN_TYPES.some((known) => known === type));
  return strange.map((type) => ({
    step: '/type',
    problem: `${JSON.stringify(type)} is no JSON type`,
    instead: 'a date is a string with a format, a big integer a string with a pattern',
  }));
}

function valueProblems(schema: SchemaObject): readonly PartProblem[] {
  const { format, multipleOf, items, pattern, maxLength } = schema;
  const problems: PartProblem[] = [];
  if (typeof format === 'string' && !ASSERTED_FORMATS.some((known) => known === format))
    problems.push({
      step: '/format',
      problem: `the format ${format} is asserted by nobody`,
      instead: `one of ${ASSERTED_FORMATS.join(', ')}, or a pattern`,
    });
  if (typeof multipleOf === 'number' && !Number.isInteger(multipleOf))
    problems.push({
      step: '/multipleOf',
      problem: 'binary fractions make 0.3 no multiple of 0.1',
      instead: 'count in the smallest unit, as integers',
    });
  if (Array.isArray(items))
    problems.push({
      step: '/items',
      problem: 'a tuple has no names to evolve by',
      instead: 'write an object with named members',
    });
  if (typeof pattern === 'string' && /\([^)]*[+*][^)]*\)[+*]/.test(pattern) && typeof maxLength !== 'number')
    problems.push({
      step: '/pattern',
      problem: 'a repeat inside a repeat can take exponential time',
      instead: 'write it without nesting, or bound it with maxLength',
    });
  return problems;
}

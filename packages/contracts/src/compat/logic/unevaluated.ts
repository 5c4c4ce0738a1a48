import { isSchema } from '../../validation/map-subschemas.ts';
import type { JsonSchema, SchemaObject } from '../../validation/plain-schema.ts';
import { withoutKeywords } from '../../validation/without-keywords.ts';
import { tupleOf } from './array-parts.ts';
import type { Formula } from './formula.ts';
import type { Formulas } from './formulas.ts';
import { declaredNames, membersPart } from './object-parts.ts';
import { namedSchemas, type Translator } from './translate.ts';

/**
 * `unevaluatedProperties` and `unevaluatedItems` depend on which of the schemas beside them hold. Each combination is a case with what
 * it evaluates; the keyword is the disjunction of its meaning in each case.
 */
export function unevaluatedParts(schema: SchemaObject, translator: Translator): readonly Formula[] {
  const { make } = translator;
  const { unevaluatedProperties, unevaluatedItems } = schema;
  const parts: Formula[] = [];
  if (isSchema(unevaluatedProperties) && unevaluatedProperties !== true)
    parts.push(
      inEachCase(schema, 'unevaluatedProperties', translator, (covered) =>
        make.onlyFor('object', membersPart(make.not(covered.names), translator.formula(unevaluatedProperties), make)),
      ),
    );
  if (isSchema(unevaluatedItems) && unevaluatedItems !== true)
    parts.push(
      inEachCase(schema, 'unevaluatedItems', translator, ({ items, alike }) => {
        const each = make.or([alike, translator.formula(unevaluatedItems)]);
        return items === Infinity || each === make.true
          ? make.true
          : make.onlyFor('array', make.atom({ op: 'rest', from: items, each }));
      }),
    );
  return parts;
}

/** What a valid schema evaluates: the member names that satisfy `names`, the first `items` elements, and those that are `alike`. */
interface Covered {
  readonly names: Formula;
  readonly items: number;
  readonly alike: Formula;
}
interface Case extends Covered {
  readonly when: Formula;
}

/** More combinations than this are not worked out. */
const MAX_CASES = 64;
class TooManyCases extends Error {}

function inEachCase(
  schema: SchemaObject,
  keyword: string,
  translator: Translator,
  meaning: (covered: Covered) => Formula,
): Formula {
  const { make } = translator;
  try {
    const rest = withoutKeywords(schema, keyword);
    return make.or(casesOf(rest, translator).map((found) => make.and([found.when, meaning(found)])));
  } catch (error) {
    if (error instanceof TooManyCases) return make.atom({ op: 'opaque', what: keyword });
    throw error;
  }
}

function casesOf(schema: JsonSchema, translator: Translator): readonly Case[] {
  const { make } = translator;
  if (typeof schema === 'boolean') return nothing(make);
  const referenced = translator.referenced(schema);
  const factors: (readonly Case[])[] = [[ownCase(schema, translator)]];
  if (referenced !== null) factors.push(casesOf(referenced, translator));
  for (const part of listOf(schema['allOf'])) factors.push(casesOf(part, translator));
  for (const branch of [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])])
    factors.push(whether(branch, casesOf(branch, translator), translator));
  for (const [name, dependent] of namedSchemas(schema['dependentSchemas']))
    factors.push(
      conditional(make.atom({ op: 'has', name }), casesOf(dependent, translator), nothing(make), translator),
    );
  const { if: condition, then, else: otherwise } = schema;
  if (isSchema(condition)) {
    const whenTrue = product(
      [casesOf(condition, translator), isSchema(then) ? casesOf(then, translator) : casesOf(true, translator)],
      translator,
    );
    factors.push(
      conditional(
        translator.formula(condition),
        whenTrue,
        isSchema(otherwise) ? casesOf(otherwise, translator) : casesOf(true, translator),
        translator,
      ),
    );
  }
  return product(factors, translator);
}

/** The one case of a schema that evaluates nothing. */
function nothing(make: Formulas): readonly Case[] {
  return [{ when: make.true, names: make.false, items: 0, alike: make.false }];
}

function ownCase(schema: SchemaObject, translator: Translator): Case {
  const { make, document } = translator;
  const { contains } = schema;
  const allNames = 'additionalProperties' in schema || 'unevaluatedProperties' in schema;
  const { prefix, rest } = tupleOf(schema);
  return {
    when: make.true,
    names: allNames ? make.true : declaredNames(schema, make),
    items: rest !== null || 'unevaluatedItems' in schema ? Infinity : prefix.length,
    // Since 2020-12 the elements that `contains` has found are evaluated.
    alike: isSchema(contains) && document.dialect === '2020-12' ? translator.formula(contains) : make.false,
  };
}

function whether(branch: JsonSchema, cases: readonly Case[], translator: Translator): readonly Case[] {
  return conditional(translator.formula(branch), cases, nothing(translator.make), translator);
}

function conditional(
  holds: Formula,
  then: readonly Case[],
  otherwise: readonly Case[],
  translator: Translator,
): readonly Case[] {
  const { make } = translator;
  return [
    ...then.map((found) => ({ ...found, when: make.and([holds, found.when]) })),
    ...otherwise.map((found) => ({ ...found, when: make.and([make.not(holds), found.when]) })),
  ];
}

function product(factors: readonly (readonly Case[])[], translator: Translator): readonly Case[] {
  const { make } = translator;
  return factors.reduce<readonly Case[]>((before, factor) => {
    if (before.length * factor.length > MAX_CASES) throw new TooManyCases();
    return before.flatMap((a) =>
      factor.map((b) => ({
        when: make.and([a.when, b.when]),
        names: make.or([a.names, b.names]),
        items: Math.max(a.items, b.items),
        alike: make.or([a.alike, b.alike]),
      })),
    );
  }, nothing(make));
}

function listOf(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

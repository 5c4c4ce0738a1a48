import { isSchema } from '../../validation/map-subschemas.ts';
import type { JsonSchema, SchemaObject } from '../../validation/plain-schema.ts';
import type { Formula } from './formula.ts';
import type { Translator } from './translate.ts';

export function arrayParts(schema: SchemaObject, translator: Translator): readonly Formula[] {
  const { make } = translator;
  const { minItems, maxItems, uniqueItems } = schema;
  const parts: Formula[] = [...itemParts(schema, translator), ...containsParts(schema, translator)];
  if (typeof minItems === 'number' && minItems > 0) parts.push(make.atom({ op: 'min-items', count: minItems }));
  if (typeof maxItems === 'number') parts.push(make.not(make.atom({ op: 'min-items', count: maxItems + 1 })));
  if (uniqueItems === true) parts.push(make.atom({ op: 'unique' }));
  return parts.map((part) => make.onlyFor('array', part));
}

/** The schemas of the first elements and that of the rest, in either spelling. */
export function tupleOf(schema: SchemaObject): {
  readonly prefix: readonly JsonSchema[];
  readonly rest: JsonSchema | null;
} {
  const { prefixItems, items, additionalItems } = schema;
  if (Array.isArray(items))
    return { prefix: items.filter(isSchema), rest: isSchema(additionalItems) ? additionalItems : null };
  return {
    prefix: Array.isArray(prefixItems) ? prefixItems.filter(isSchema) : [],
    rest: isSchema(items) ? items : null,
  };
}

function itemParts(schema: SchemaObject, translator: Translator): readonly Formula[] {
  const { make } = translator;
  const { prefix, rest } = tupleOf(schema);
  return [
    ...prefix.map((item, index) =>
      elementPart(translator.formula(item), (each) => make.atom({ op: 'item', index, each }), translator),
    ),
    ...(rest === null
      ? []
      : [
          elementPart(
            translator.formula(rest),
            (each) => make.atom({ op: 'rest', from: prefix.length, each }),
            translator,
          ),
        ]),
  ];
}

function elementPart(each: Formula, atom: (each: Formula) => Formula, translator: Translator): Formula {
  return each === translator.make.true ? each : atom(each);
}

function containsParts(schema: SchemaObject, translator: Translator): readonly Formula[] {
  const { make, document } = translator;
  const { contains, minContains, maxContains } = schema;
  if (!isSchema(contains)) return [];
  const each = translator.formula(contains);
  const counted = document.dialect !== 'draft-07';
  const least = counted && typeof minContains === 'number' ? minContains : 1;
  return [
    ...(least > 0 ? [make.atom({ op: 'contains', each, count: least })] : []),
    ...(counted && typeof maxContains === 'number'
      ? [make.not(make.atom({ op: 'contains', each, count: maxContains + 1 }))]
      : []),
  ];
}

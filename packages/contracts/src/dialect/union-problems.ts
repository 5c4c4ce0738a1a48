import { provablyDisjoint } from '../compat/logic/disjoint.ts';
import { Formulas } from '../compat/logic/formulas.ts';
import { Translator } from '../compat/logic/translate.ts';
import type { SchemaDocument } from '../compat/schema-document.ts';
import { isSchema } from '../validation/map-subschemas.ts';
import type { SchemaObject } from '../validation/plain-schema.ts';
import type { PartProblem } from './lint.ts';

/** The alternatives of a union must be told apart by a type or a required constant, or an added member could make two match. */
export function unionProblems(schema: SchemaObject, document: SchemaDocument): readonly PartProblem[] {
  return (['anyOf', 'oneOf'] as const).flatMap((keyword) => {
    const branches = schema[keyword];
    if (!Array.isArray(branches)) return [];
    const make = new Formulas();
    const translator = new Translator(document, make, 'lint');
    const formulas = branches.filter(isSchema).map((branch) => translator.formula(branch));
    const overlaps = formulas.some((formula, index) =>
      formulas.slice(index + 1).some((other) => !provablyDisjoint(formula, other, make)),
    );
    return overlaps
      ? [
          {
            step: `/${keyword}`,
            problem: 'nothing tells the alternatives apart',
            instead: 'give each a required member with a constant of its own, as in kind: Type.Literal(...)',
          },
        ]
      : [];
  });
}

import type { JsonSchema } from '../../validation/plain-schema.ts';
import type { JsonType, Scalar } from '../json-value.ts';
import { discriminators, possibleTypes } from '../logic/disjoint.ts';
import type { Formula } from '../logic/formula.ts';
import { specialise } from '../logic/specialise.ts';
import { namedSchemas, type Translator } from '../logic/translate.ts';
import type { Union } from './location.ts';

/** Which alternative became which. */
export interface Pairing {
  readonly pairs: readonly BranchPair[];
  readonly discriminatorChanges: readonly string[];
}
interface BranchPair {
  readonly before: JsonSchema;
  readonly after: JsonSchema;
  /** Keyword and index of the alternative, as in `oneOf/1`. */
  readonly place: string;
  /** Null where a constant, a type or equality tells this alternative from the others; else what a record of it satisfies. */
  readonly among: Formula | null;
}
interface Branch {
  readonly schema: JsonSchema;
  readonly formula: Formula;
  readonly types: readonly JsonType[];
  readonly constants: ReadonlyMap<string, readonly Scalar[]>;
  readonly index: number;
}
interface Translators {
  readonly before: Translator;
  readonly after: Translator;
}

/** Pairs the alternatives of unions: by discriminator, else by meaning, by type, by likeness. Null where there is nothing to pair. */
export function pairBranches(
  before: readonly Union[],
  after: readonly Union[],
  translators: Translators,
): Pairing | null {
  if (before.length === 0 && after.length === 0) return { pairs: [], discriminatorChanges: [] };
  if (before.length !== after.length) return null;
  const pairings = before.map((union, index) => pairUnion(union, after[index] ?? union, translators));
  if (pairings.every(({ pairs, discriminatorChanges }) => pairs.length === 0 && discriminatorChanges.length === 0))
    return null;
  return {
    pairs: pairings.flatMap(({ pairs }) => pairs),
    discriminatorChanges: pairings.flatMap(({ discriminatorChanges }) => discriminatorChanges),
  };
}

function pairUnion(before: Union, after: Union, translators: Translators): Pairing {
  const old = branchesOf(before, translators.before);
  const now = branchesOf(after, translators.after);
  const [wasTold, isTold] = [tellingMembers(old), tellingMembers(now)];
  const common = wasTold.find((name) => isTold.includes(name));
  const place = (branch: Branch) => `${after.keyword}/${branch.index}`;
  if (common !== undefined) {
    const pairs = old.flatMap((was) =>
      now
        .filter((is) => shareConstant(was, is, common))
        .map((is) => ({ before: was.schema, after: is.schema, place: place(is), among: null })),
    );
    const [were, are] = [constantsOf(old, common), constantsOf(now, common)];
    return {
      pairs,
      discriminatorChanges:
        were === are ? [] : [`the values of the discriminator ${JSON.stringify(common)} were ${were} and are ${are}`],
    };
  }
  const discriminatorChanges =
    wasTold.length > 0 && isTold.length > 0
      ? [`the discriminator was ${JSON.stringify(wasTold[0])} and is ${JSON.stringify(isTold[0])}`]
      : [];
  return {
    pairs: pairByLikeness(
      old,
      now,
      place,
      after.keyword === 'anyOf' ? () => null : amongAlternatives(after, translators.after),
    ),
    discriminatorChanges,
  };
}

function branchesOf(union: Union, translator: Translator): readonly Branch[] {
  return union.branches.map((schema, index) => {
    const formula = translator.formula(schema);
    return {
      schema,
      formula,
      types: possibleTypes(formula),
      constants: discriminators(specialise(formula, 'object', translator.make)),
      index,
    };
  });
}

/** Members whose constants tell all the object branches apart; none for a union of fewer than two objects. */
function tellingMembers(branches: readonly Branch[]): readonly string[] {
  const objects = branches.filter(({ types }) => types.includes('object'));
  const [first] = objects;
  if (first === undefined) return [];
  return [...first.constants.keys()].filter((name) => {
    const values = objects.flatMap((branch) => branch.constants.get(name) ?? []);
    return objects.every((branch) => branch.constants.has(name)) && new Set(values).size === values.length;
  });
}

function shareConstant(was: Branch, is: Branch, name: string): boolean {
  const values = is.constants.get(name) ?? [];
  const [first, second] = [was.constants.get(name), values];
  return first === undefined
    ? second.length === 0 && was.types.join() === is.types.join()
    : first.some((value) => second.includes(value));
}

function constantsOf(branches: readonly Branch[], name: string): string {
  return branches
    .flatMap((branch) => branch.constants.get(name) ?? [])
    .map((value) => JSON.stringify(value))
    .sort()
    .join(', ');
}

function pairByLikeness(
  old: readonly Branch[],
  now: readonly Branch[],
  place: (branch: Branch) => string,
  amongOthers: (branch: Branch) => Formula | null,
): readonly BranchPair[] {
  const pairs: BranchPair[] = [];
  const [restOld, restNow] = [new Set(old), new Set(now)];
  const pair = (was: Branch, is: Branch, among: Formula | null = null) => {
    restOld.delete(was);
    restNow.delete(is);
    pairs.push({ before: was.schema, after: is.schema, place: place(is), among });
  };
  for (const was of old) {
    const same = [...restNow].find((is) => is.formula === was.formula);
    if (same !== undefined) pair(was, same);
  }
  for (const was of [...restOld]) {
    const same = [...restNow].find(
      (is) => is.types.join() === was.types.join() && aloneInType(was, old) && aloneInType(is, now),
    );
    if (same !== undefined) pair(was, same);
  }
  for (const was of [...restOld]) {
    const [likest] = [...restNow].sort((a, b) => likeness(was, b) - likeness(was, a) || a.index - b.index);
    if (likest !== undefined && was.types.includes('object') && likest.types.includes('object'))
      pair(was, likest, amongOthers(likest));
  }
  return pairs;
}

/** What a record of one alternative satisfies where it must not match another as well. */
function amongAlternatives(union: Union, translator: Translator): (branch: Branch) => Formula {
  const exactlyOne = translator.formula({ oneOf: union.branches });
  return (branch) => translator.make.and([exactlyOne, branch.formula]);
}

function aloneInType(branch: Branch, all: readonly Branch[]): boolean {
  return all.every((other) => other === branch || !other.types.some((type) => branch.types.includes(type)));
}

function likeness(a: Branch, b: Branch): number {
  const names = new Set(memberNames(b.schema));
  return memberNames(a.schema).filter((name) => names.has(name)).length;
}

function memberNames(schema: JsonSchema): readonly string[] {
  return typeof schema === 'boolean' ? [] : namedSchemas(schema['properties']).map(([name]) => name);
}

import { pointer } from '../../payload/json-problem.ts';
import type { JsonSchema, SchemaObject } from '../../validation/plain-schema.ts';
import { MEANINGFUL_ANNOTATIONS } from '../../validation/schema-keywords.ts';
import { MAX_STEPS } from '../containment.ts';
import { Evaluator } from '../evaluate.ts';
import type { JsonValue } from '../json-value.ts';
import type { Formula } from '../logic/formula.ts';
import { Formulas } from '../logic/formulas.ts';
import { Translator } from '../logic/translate.ts';
import type { SchemaDocument } from '../schema-document.ts';
import { Solver } from '../solver/solver.ts';
import type { CompatibilityRule, Finding } from './finding.ts';
import { type Declaration, type Location, locationOf } from './location.ts';
import { pairBranches } from './pair-branches.ts';

/** What differs between two schemas as written, place by place. */
export interface Edits {
  readonly findings: readonly Finding[];
  /** Where an optional member was added: the schema objects that declare it, with its name. */
  readonly additions: readonly { readonly declaredBy: SchemaObject; readonly name: string }[];
}

const ANNOTATION_RULES: Readonly<Record<string, CompatibilityRule>> = {
  default: 'default-changed',
  'x-absent': 'absent-value-changed',
  format: 'format-changed',
  contentEncoding: 'content-encoding-changed',
  contentMediaType: 'content-encoding-changed',
  contentSchema: 'content-encoding-changed',
};

export function editsBetween(before: SchemaDocument, after: SchemaDocument): Edits {
  const walk = new EditWalk(before, after);
  if (before.dialect !== after.dialect)
    walk.report(
      'dialect-changed',
      '/$schema',
      `${before.dialect} became ${after.dialect}, which reads some keywords otherwise`,
    );
  walk.compare([before.root], [after.root], '');
  return walk;
}

class EditWalk implements Edits {
  readonly findings: Finding[] = [];
  readonly additions: { declaredBy: SchemaObject; name: string }[] = [];
  readonly #before: SchemaDocument;
  readonly #after: SchemaDocument;
  readonly #translators: { readonly before: Translator; readonly after: Translator };
  readonly #compared = new Set<string>();
  readonly #numbers = new Map<JsonSchema, number>();

  constructor(before: SchemaDocument, after: SchemaDocument) {
    this.#before = before;
    this.#after = after;
    const make = new Formulas();
    this.#translators = { before: new Translator(before, make, 'before'), after: new Translator(after, make, 'after') };
  }

  report(rule: CompatibilityRule, path: string, message: string): void {
    this.findings.push({ rule, path: path === '' ? '/' : path, message });
  }

  /** @param among where the schemas are one of several alternatives that nothing tells apart: what a record of this one satisfies. */
  compare(
    before: readonly JsonSchema[],
    after: readonly JsonSchema[],
    path: string,
    among: Formula | null = null,
  ): void {
    const key = `${before.map((schema) => this.#number(schema)).join()} ${after.map((schema) => this.#number(schema)).join()} ${among?.id}`;
    if (this.#compared.has(key)) return;
    this.#compared.add(key);
    const unions = [
      locationOf(before, this.#before, 'apart').unions,
      locationOf(after, this.#after, 'apart').unions,
    ] as const;
    const pairing = pairBranches(...unions, this.#translators);
    // Alternatives that have no counterpart one by one are compared by what they say together.
    const old = locationOf(before, this.#before, pairing === null ? 'together' : 'apart');
    const now = locationOf(after, this.#after, pairing === null ? 'together' : 'apart');
    this.#compareAnnotations(old, now, path);
    this.#compareMembers(old, now, path, among);
    for (const pattern of old.mapValues.keys())
      if (!now.mapValues.has(pattern) && pattern !== '')
        this.report(
          'member-removed',
          path + pointer(['patternProperties', pattern]),
          `members named like ${pattern} are gone`,
        );
    this.#compareInner(
      old.mapValues,
      now.mapValues,
      (name) => path + (name === '' ? '/additionalProperties' : pointer(['patternProperties', name])),
    );
    this.#compareInner(old.elements, now.elements, (name) => `${path}/${name}`);
    for (const change of pairing?.discriminatorChanges ?? []) this.report('discriminator-changed', path, change);
    for (const pair of pairing?.pairs ?? [])
      this.compare([pair.before], [pair.after], `${path}/${pair.place}`, pair.among);
  }

  #compareAnnotations(old: Location, now: Location, path: string): void {
    for (const keyword of MEANINGFUL_ANNOTATIONS) {
      const [was, is] = [old.annotations.get(keyword), now.annotations.get(keyword)];
      if (!equalSets(was, is))
        this.report(
          ANNOTATION_RULES[keyword] ?? 'unknown-keyword',
          `${path}/${keyword}`,
          `${keyword} was ${listed(was)} and is ${listed(is)}`,
        );
    }
    if (!equalSets(old.patterns, now.patterns))
      this.report(
        'pattern-changed',
        `${path}/pattern`,
        `patterns were ${listed(old.patterns)} and are ${listed(now.patterns)}`,
      );
    if (
      old.discriminators.size > 0 &&
      now.discriminators.size > 0 &&
      !equalSets(old.discriminators, now.discriminators)
    )
      this.report(
        'discriminator-changed',
        `${path}/discriminator`,
        `discriminator was ${listed(old.discriminators)} and is ${listed(now.discriminators)}`,
      );
    if (!equalSets(old.unknownKeywords, now.unknownKeywords))
      this.report(
        'unknown-keyword',
        path,
        `keywords of unknown meaning were ${listed(old.unknownKeywords)} and are ${listed(now.unknownKeywords)}`,
      );
  }

  #compareMembers(old: Location, now: Location, path: string, among: Formula | null): void {
    const removed = [...old.members].filter(([name, was]) => !now.members.has(name) && this.#canBe(was, 'before'));
    const added = [...now.members].filter(([name, is]) => !old.members.has(name) && this.#canBe(is, 'after'));
    for (const [name, declarations] of removed) this.#reportRemoved(name, declarations, added, path);
    for (const member of added) this.#reportAdded(member, now, path, among);
    for (const [name, was] of old.members) {
      const is = now.members.get(name);
      if (is !== undefined)
        this.compare(
          was.map(({ schema }) => schema),
          is.map(({ schema }) => schema),
          path + pointer(['properties', name]),
        );
    }
  }

  /** A member that no value can have is not declared but ruled out. */
  #canBe(declarations: readonly Declaration[], side: 'before' | 'after'): boolean {
    const translator = this.#translators[side];
    return declarations.some(
      ({ schema }) => new Solver(translator.make, MAX_STEPS).decide([translator.formula(schema)]).status !== 'none',
    );
  }

  #reportRemoved(
    name: string,
    was: readonly Declaration[],
    added: readonly (readonly [string, readonly Declaration[]])[],
    path: string,
  ): void {
    const meaning = this.#translators.before.formula(was[0]?.schema ?? true);
    const renamed = added.find(([, is]) => this.#translators.after.formula(is[0]?.schema ?? true) === meaning);
    const at = path + pointer(['properties', name]);
    if (renamed === undefined) this.report('member-removed', at, `the member ${JSON.stringify(name)} is gone`);
    else
      this.report(
        'member-renamed',
        at,
        `the member ${JSON.stringify(name)} is gone and ${JSON.stringify(renamed[0])} has its schema`,
      );
  }

  #reportAdded(
    [name, declarations]: readonly [string, readonly Declaration[]],
    now: Location,
    path: string,
    among: Formula | null,
  ): void {
    const at = path + pointer(['properties', name]);
    if (now.required.has(name)) {
      this.report('required-member-added', at, `the member ${JSON.stringify(name)} is new and required`);
      return;
    }
    for (const { declaredBy, schema } of declarations) {
      this.additions.push({ declaredBy, name });
      this.#checkAbsentValue(schema, at);
    }
    if (among === null) this.report('optional-member-added', at, `the optional member ${JSON.stringify(name)} is new`);
    else if (!this.#isUsable(name, among))
      this.report(
        'member-unusable',
        at,
        `no record can carry ${JSON.stringify(name)} here: another alternative would match, too`,
      );
    else
      this.report(
        'undiscriminated-union',
        at,
        `the member ${JSON.stringify(name)} is new in one of several alternatives that no constant tells apart`,
      );
  }

  #checkAbsentValue(schema: JsonSchema, at: string): void {
    if (typeof schema === 'boolean') return;
    const absent = schema['x-absent'];
    const values = [
      schema['default'],
      typeof absent === 'object' && absent !== null && 'value' in absent ? absent.value : undefined,
    ];
    const evaluator = new Evaluator(this.#after);
    // Schemas are JSON, and so are the values in them.
    if (values.some((value) => value !== undefined && !evaluator.accepts(schema, value as JsonValue)))
      this.report(
        'absent-value-invalid',
        at,
        'the value for an absent member does not satisfy the schema of the member',
      );
  }

  #isUsable(name: string, among: Formula): boolean {
    const { make } = this.#translators.after;
    return (
      new Solver(make, MAX_STEPS).decide([among, make.type('object'), make.atom({ op: 'has', name })]).status !== 'none'
    );
  }

  #compareInner(
    old: ReadonlyMap<string, readonly JsonSchema[]>,
    now: ReadonlyMap<string, readonly JsonSchema[]>,
    pathOf: (name: string) => string,
  ): void {
    for (const [name, was] of old) {
      const is = now.get(name);
      if (is !== undefined) this.compare(was, is, pathOf(name));
    }
  }

  #number(schema: JsonSchema): number {
    const known = this.#numbers.get(schema) ?? this.#numbers.size;
    this.#numbers.set(schema, known);
    return known;
  }
}

function equalSets(a: ReadonlySet<string> = new Set(), b: ReadonlySet<string> = new Set()): boolean {
  return a.size === b.size && [...a].every((item) => b.has(item));
}

function listed(values: ReadonlySet<string> = new Set()): string {
  return values.size === 0 ? 'none' : [...values].join(', ').slice(0, 200);
}

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../validation/plain-schema.ts';
import { compareSchemas, type Direction } from './compare.ts';
import { Evaluator } from './evaluate.ts';
import type { JsonValue } from './json-value.ts';
import { withLocalReferences } from './local-references.ts';
import { schemaDocument } from './schema-document.ts';

interface Case {
  readonly id: string;
  readonly before: JsonSchema;
  readonly after: JsonSchema;
  readonly oldReaderReadsNew: boolean;
  readonly newReaderReadsOld: boolean;
  readonly witnessNewRecordOldRejects?: JsonValue;
  readonly witnessOldRecordNewRejects?: JsonValue;
  readonly rule?: string;
}

const cases = ['schema-changes', 'schema-bug-reports', 'invented-pairs', 'attacked-pairs'].flatMap(
  // The files hold cases of this shape; the tests below would fail on any other.
  (name) =>
    JSON.parse(readFileSync(new URL(`../../../../test/schema-cases/${name}.json`, import.meta.url), 'utf8')) as Case[],
);
const accepts = (schema: JsonSchema, record: JsonValue) => {
  const local = withLocalReferences(schema);
  return new Evaluator(schemaDocument(local)).accepts(local, record);
};

describe.each(cases.map((one) => [one.id, one] as const))('%s', (_id, one) => {
  const comparison = compareSchemas(one.before, one.after);

  test('V08: containment as written is answered, and rightly', () => {
    const answer = (yes: boolean) => (yes ? 'yes' : 'no');
    expect(comparison.strict).toEqual({
      oldReaderReadsNew: answer(one.oldReaderReadsNew),
      newReaderReadsOld: answer(one.newReaderReadsOld),
    });
  });

  test('V08: every "no" comes with a record that its writer accepts and its reader refuses', () => {
    for (const direction of ['oldReaderReadsNew', 'newReaderReadsOld'] satisfies Direction[]) {
      const witness = comparison.witnesses.find((found) => found.direction === direction && found.under === 'strict');
      expect(witness === undefined).toBe(comparison.strict[direction] !== 'no');
      if (witness === undefined) continue;
      const [writer, reader] = direction === 'oldReaderReadsNew' ? [one.after, one.before] : [one.before, one.after];
      expect([accepts(writer, witness.record), accepts(reader, witness.record)]).toEqual([true, false]);
    }
  });

  test('V08: the evaluator agrees with the witnesses of the case', () => {
    const refusals = [
      [one.witnessNewRecordOldRejects, one.after, one.before],
      [one.witnessOldRecordNewRejects, one.before, one.after],
    ] as const;
    for (const [record, writer, reader] of refusals)
      if (record !== undefined) expect([accepts(writer, record), accepts(reader, record)]).toEqual([true, false]);
  });
});

test.each(cases.filter(({ rule }) => rule !== undefined))(
  'V08: the verdict of the rule: $id',
  ({ before, after, rule }) => {
    expect(compareSchemas(before, after).verdict).toBe(rule);
  },
);

describe('the order of the rule', () => {
  const object = (properties: Record<string, JsonSchema>, more: object = {}): JsonSchema => ({
    type: 'object',
    properties,
    ...more,
  });
  const text = { type: 'string' };
  const rule = (before: JsonSchema, after: JsonSchema) => {
    const { verdict, rule: decidedBy, path } = compareSchemas(before, after);
    return `${verdict} ${decidedBy} ${path}`;
  };

  test('V08: W26: annotations keep the version; a default, an absent value or a format does not', () => {
    expect(rule(object({ a: text }), object({ a: { ...text, description: 'new' } }))).toBe('same-version equal /');
    expect(rule(object({ a: text }), object({ a: { ...text, default: 'x' } }))).toBe(
      'new-version default-changed /properties/a/default',
    );
    expect(
      rule(
        object({ a: { ...text, 'x-absent': { value: 'x' } } }),
        object({ a: { ...text, 'x-absent': { value: 'y' } } }),
      ),
    ).toBe('new-version absent-value-changed /properties/a/x-absent');
    expect(rule(object({ a: text }), object({ a: { ...text, format: 'date' } }))).toBe(
      'new-version format-changed /properties/a/format',
    );
  });

  test('V08: W26: removing and renaming a member need a new version even where every record stays readable', () => {
    expect(rule(object({ a: {} }), object({}))).toBe('new-version member-removed /properties/a');
    expect(rule(object({ a: text }), object({ c: text }))).toBe('new-version member-renamed /properties/a');
    expect(compareSchemas(object({ a: text }), object({})).emitted).toEqual({
      oldReaderReadsNew: 'yes',
      newReaderReadsOld: 'yes',
    });
  });

  test('V08: a changed pattern is refused unless a record decides', () => {
    expect(rule({ type: 'string', pattern: '^[0-9]+$' }, { type: 'string', pattern: '^\\d+$' })).toBe(
      'cannot-prove pattern-changed /pattern',
    );
    expect(rule({ type: 'string', pattern: '^a$' }, { type: 'string', pattern: '^[ab]$' })).toBe(
      'new-version widened /pattern',
    );
    expect(rule({ type: 'string', pattern: '^(?=a)a' }, { type: 'string', pattern: '^(?!b)a' })).toBe(
      'cannot-prove pattern-changed /pattern',
    );
  });

  test('V08: a keyword of unknown meaning is refused, and one that stays is not', () => {
    expect(rule({ 'x-unit': 'ms' }, { 'x-unit': 's' })).toBe('cannot-prove unknown-keyword /');
    expect(rule(object({ a: { 'x-unit': 'ms' } }), object({ a: { 'x-unit': 'ms' }, b: text }))).toBe(
      'same-version optional-member-added /properties/b',
    );
  });

  test('V08: an optional member may come with the opening of a closed schema, and with nothing else', () => {
    const closed = { additionalProperties: false };
    expect(rule(object({ a: text }, closed), object({ a: text, b: text }))).toBe(
      'same-version optional-member-added /properties/b',
    );
    expect(rule(object({ a: text }), object({ a: text, b: text }, closed))).toMatch(/^new-version/);
    expect(rule(object({ a: text }), object({ a: { ...text, maxLength: 9 }, b: text }))).toBe(
      'new-version narrowed /properties/a/maxLength',
    );
  });

  test('V08: members inside shared, recursive and nested definitions are found', () => {
    const node = (properties: Record<string, JsonSchema>): JsonSchema => ({
      $ref: '#/$defs/n',
      $defs: { n: object({ next: { $ref: '#/$defs/n' }, ...properties }) },
    });
    expect(rule(node({ a: text }), node({ a: text, b: text }))).toBe(
      'same-version optional-member-added /properties/b',
    );
    expect(rule(node({ a: text, b: text }), node({ a: text }))).toBe('new-version member-removed /properties/b');
  });

  test('V08: an absent value that the member itself refuses is no absent value', () => {
    expect(rule(object({}), object({ b: { type: 'number', 'x-absent': { value: 'none' } } }))).toBe(
      'new-version absent-value-invalid /properties/b',
    );
  });

  test('V08: a comparison that outgrows its budget is not answered with a guess', () => {
    const many = (from: number): JsonSchema => ({
      anyOf: Array.from({ length: 14 }, (_, index) =>
        object({ [`a${index + from}`]: text, b: { type: 'array', contains: { minimum: index } } }),
      ),
    });
    const comparison = compareSchemas(many(0), many(1), { maxSteps: 50 });
    expect([comparison.verdict, comparison.strict.newReaderReadsOld]).not.toContain('same-version');
  });
});

import { Evaluator } from '../compat/evaluate.ts';
import type { JsonValue } from '../compat/json-value.ts';
import { partsOf } from '../compat/load-schema.ts';
import { namedSchemas } from '../compat/logic/translate.ts';
import { schemaDocument } from '../compat/schema-document.ts';
import type { AnyMessage } from '../definition/message.ts';
import { canonicalSchema } from '../freeze/canonical-schema.ts';
import { pointer } from '../payload/json-problem.ts';
import { isSchemaObject, type SchemaObject } from '../validation/plain-schema.ts';
import { compileSchema } from '../validation/validator.ts';
import { keywordProblems } from './keyword-problems.ts';
import { unionProblems } from './union-problems.ts';

/** Something to write otherwise, and how. */
export interface LintProblem {
  readonly type: string;
  readonly version: number | null;
  readonly path: string;
  readonly problem: string;
  readonly instead: string;
}

/** @param today `YYYY-MM-DD`: drafts whose decision is overdue are reported. */
export function lintMessage(message: AnyMessage, today: string): readonly LintProblem[] {
  return [
    ...draftProblems(message, today),
    ...Object.keys(message.versions).flatMap((version) => lintVersion(message, Number(version))),
  ];
}

function draftProblems(message: AnyMessage, today: string): readonly LintProblem[] {
  const { delivery, type } = message;
  if (delivery.status !== 'draft' || delivery.decideBy >= today) return [];
  return [
    {
      type,
      version: null,
      path: '/delivery',
      problem: `the draft was to be decided by ${delivery.decideBy}`,
      instead: `let ${delivery.decider} decide, and write status: 'accepted'`,
    },
  ];
}

/** What one version is to be written otherwise in. */
export function lintVersion(message: AnyMessage, version: number): readonly LintProblem[] {
  const { type } = message;
  const at = (path: string, problem: string, instead: string): LintProblem => ({
    type,
    version,
    path: path || '/',
    problem,
    instead,
  });
  const raw = message.versions[version] ?? {};
  const unwritten = [...valuesOutsideJson(raw)].map(({ step, problem, instead }) => at(step, problem, instead));
  if (unwritten.length > 0) return unwritten;
  const schema = canonicalSchema(type, version, raw);
  const reason = compileProblem(schema);
  // References that lead nowhere do not compile, and alternatives are compared through references.
  const document = reason === null ? schemaDocument(schema) : null;
  const problems = [...partsOf(schema)].flatMap(({ schema: part, path }) =>
    [
      ...keywordProblems(part),
      ...(document === null ? [] : unionProblems(part, document)),
      ...memberProblems(part),
    ].map(({ step, problem, instead }) => at(path + step, problem, instead)),
  );
  // Most of what does not compile has been named with what to write instead.
  if (reason !== null && problems.length === 0)
    problems.push(at('', `the schema does not compile: ${reason}`, 'use the types of the contract dialect'));
  if (!isObjectLike(schema))
    problems.push(at('', 'a message is an object', 'write Type.Object({ ... }) or a discriminated union of objects'));
  return problems;
}

function compileProblem(schema: SchemaObject): string | null {
  try {
    compileSchema(schema);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What a schema in code may hold and a frozen one cannot: TypeBox takes any value for an option. */
function* valuesOutsideJson(value: unknown, path = ''): Iterable<PartProblem> {
  const kind = value instanceof Date ? 'Date' : typeof value;
  if (kind === 'function' || kind === 'bigint' || kind === 'Date')
    yield { step: path, problem: `a ${kind} is not JSON and would be lost`, instead: 'write the value as JSON has it' };
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) yield* valuesOutsideJson(inner, path + pointer([name]));
}

function isObjectLike(schema: SchemaObject): boolean {
  return (
    schema['type'] === 'object' || '$ref' in schema || Array.isArray(schema['oneOf']) || Array.isArray(schema['anyOf'])
  );
}

/** A problem at a step below the schema it was found in. */
export interface PartProblem {
  readonly step: string;
  readonly problem: string;
  readonly instead: string;
}

const PROTOTYPE_NAMES: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** Members must survive every parser, and an optional one says what its absence means. */
function memberProblems(schema: SchemaObject): readonly PartProblem[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const members = namedSchemas(schema['properties']);
  const undeclared = required.filter((name) => !members.some(([declared]) => declared === name));
  return [
    ...undeclared.map((name) => ({
      step: '/required',
      problem: `${JSON.stringify(name)} is required and not declared`,
      instead: 'declare it in properties',
    })),
    ...members
      .filter(([name]) => PROTOTYPE_NAMES.includes(name))
      .map(([name]) => ({
        step: `/properties/${name}`,
        problem: `a member named ${name} can reach a prototype, and readers drop it`,
        instead: 'choose another name',
      })),
    ...members.flatMap(([name, member]) =>
      required.includes(name) || !isSchemaObject(member) ? [] : absentProblems(name, member),
    ),
  ];
}

function absentProblems(name: string, member: SchemaObject): readonly PartProblem[] {
  const step = `/properties/${name}/x-absent`;
  const absent = member['x-absent'];
  if (!isSchemaObject(absent) || !('value' in absent || typeof absent['means'] === 'string'))
    return [
      {
        step,
        problem: `the optional member ${JSON.stringify(name)} does not say what its absence means`,
        instead: `add 'x-absent': { value: ... } or 'x-absent': { means: '...' }`,
      },
    ];
  // A schema is JSON, and so is a value in it. A member that is a reference alone is judged where it is defined.
  const fits =
    !('value' in absent) ||
    '$ref' in member ||
    new Evaluator(schemaDocument(member)).accepts(member, absent['value'] as JsonValue);
  return fits
    ? []
    : [
        {
          step,
          problem: 'the value for an absent member does not satisfy its schema',
          instead: 'give a value that a reader could have read',
        },
      ];
}

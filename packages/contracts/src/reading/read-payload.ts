import type { AnyMessage } from '../definition/message.ts';
import { jsonProblem } from '../payload/json-problem.ts';
import { parseJson } from '../payload/parse-json.ts';
import { type Violation, validatorOf } from '../validation/validator.ts';
import type { ReadResult, StoredPayload, Unreadable, WantedVersion } from './read-result.ts';
import { takeStep } from './take-step.ts';

/** Reasons are stored with dead letters and shown in lists. */
const MAX_REASON_LENGTH = 300;

/** Reads one stored payload of a known message: parse, validate with the stored version, then step by step to the wanted one, validating each result. */
export function readPayload(message: AnyMessage, stored: StoredPayload, as: WantedVersion): ReadResult {
  const schema = message.versions[stored.version];
  if (schema === undefined)
    return unreadable(stored, 'unknown-version', `this build reads ${versionsOf(message)} of ${message.type}`);
  const wanted = as === 'stored' ? stored.version : as === 'newest' ? message.newest : as;
  if (message.versions[wanted] === undefined)
    return unreadable(
      stored,
      'unknown-version',
      `version ${wanted} was asked for; this build reads ${versionsOf(message)}`,
    );
  const parsed = parsedPayload(stored.payload);
  if ('problem' in parsed) return unreadable(stored, 'invalid', parsed.problem);
  const violations = validatorOf(schema, 'open')(parsed.value);
  if (violations.length > 0) return unreadable(stored, 'invalid', described(violations));
  return converted(message, stored, parsed.value, wanted);
}

function converted(message: AnyMessage, stored: StoredPayload, value: unknown, wanted: number): ReadResult {
  const applied: string[] = [];
  const direction = wanted > stored.version ? 1 : -1;
  let payload = value;
  for (let version = stored.version; version !== wanted; version += direction) {
    const next = version + direction;
    const step = direction === 1 ? message.upcast[next] : message.downcast[version];
    const outcome = step === undefined ? { problem: 'is not defined' } : stepped(message, step, payload, next);
    if ('problem' in outcome)
      return unreadable(stored, 'upcast-failed', `the step ${next}<-${version} ${outcome.problem}`);
    payload = outcome.value;
    applied.push(`${next}<-${version}`);
  }
  return { status: 'ok', type: stored.type, writtenVersion: stored.version, version: wanted, payload, applied };
}

type Outcome = { readonly value: unknown } | { readonly problem: string };

function stepped(message: AnyMessage, step: (payload: never) => unknown, payload: unknown, next: number): Outcome {
  const taken = takeStep(step, payload);
  // The text of a thrown error may quote the payload, so only its name is told.
  if ('threw' in taken)
    return { problem: `threw ${taken.threw instanceof Error ? taken.threw.name : 'something that is no error'}` };
  const problem = jsonProblem(taken.result);
  if (problem !== null) return { problem: `returned what JSON cannot carry: ${problem.reason}` };
  const schema = message.versions[next];
  const violations = schema === undefined ? [] : validatorOf(schema, 'open')(taken.result);
  return violations.length === 0
    ? { value: taken.result }
    : { problem: `returned no valid version ${next}: ${described(violations)}` };
}

function parsedPayload(text: string): Outcome {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    // The message of a SyntaxError quotes the text.
    if (error instanceof SyntaxError) return { problem: 'the payload is not JSON' };
    throw error;
  }
}

function described(violations: readonly Violation[]): string {
  return violations
    .map((violation) => `${violation.schemaPath} ${violation.message}`)
    .slice(0, 3)
    .join('; ');
}

function versionsOf(message: AnyMessage): string {
  return message.oldest === message.newest
    ? `version ${message.newest}`
    : `versions ${message.oldest} to ${message.newest}`;
}

export function unreadable(stored: StoredPayload, status: Unreadable['status'], reason: string): Unreadable {
  return { status, type: stored.type, version: stored.version, reason: reason.slice(0, MAX_REASON_LENGTH) };
}

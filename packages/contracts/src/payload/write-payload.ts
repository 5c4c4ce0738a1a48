import { ContractError } from '../contract-error.ts';
import type { AnyMessage, PayloadOf } from '../definition/message.ts';
import { takeStep } from '../reading/take-step.ts';
import { validatorOf } from '../validation/validator.ts';
import { jsonProblem } from './json-problem.ts';

/** A payload as it is stored: the version that describes it and the exact JSON text. */
export interface WrittenPayload {
  readonly version: number;
  readonly text: string;
}

/** More findings than this say nothing new. */
const MAX_PROBLEMS = 10;

/**
 * Validates a payload of the newest shape and writes it as JSON, in an older version when one is asked for (through the downcasts).
 * Only declared members may be emitted, and what JSON cannot carry is refused with its path, since `JSON.stringify` would drop it silently.
 *
 * @throws ContractError `CTR_PAYLOAD_INVALID`; for an older version also `CTR_DOWNCAST_MISSING` or `CTR_DOWNCAST_FAILED`.
 */
export function writePayload<M extends AnyMessage>(
  message: M,
  payload: PayloadOf<M>,
  version: number = message.newest,
): WrittenPayload {
  checkWritable(message, payload, message.newest);
  let written: unknown = payload;
  for (let newer = message.newest; newer > version; newer -= 1) {
    written = downcast(message, newer, written);
    checkWritable(message, written, newer - 1);
  }
  return { version, text: JSON.stringify(written) };
}

function checkWritable(message: AnyMessage, payload: unknown, version: number): void {
  const problem = jsonProblem(payload);
  if (problem !== null) throw invalid(message, version, [`${problem.path || '/'}: ${problem.reason}`]);
  const schema = message.versions[version];
  if (schema === undefined)
    throw new ContractError('CTR_DOWNCAST_MISSING', `${message.type} has no version ${version}`);
  // Both, since a payload that only the closed form accepts (two variants of a union that overlap once opened) could not be read back.
  const violations = [...validatorOf(schema, 'closed')(payload), ...validatorOf(schema, 'open')(payload)];
  if (violations.length === 0) return;
  const problems = new Set(violations.map((violation) => `${violation.valuePath || '/'}: ${violation.message}`));
  throw invalid(message, version, [...problems].slice(0, MAX_PROBLEMS));
}

function downcast(message: AnyMessage, newer: number, payload: unknown): unknown {
  const step = message.downcast[newer];
  if (step === undefined)
    throw new ContractError(
      'CTR_DOWNCAST_MISSING',
      `${message.type} has no downcast from version ${newer} to ${newer - 1}`,
    );
  const taken = takeStep(step, payload);
  if ('threw' in taken)
    throw new ContractError('CTR_DOWNCAST_FAILED', `${message.type}: the downcast from version ${newer} threw`, [], {
      cause: taken.threw,
    });
  return taken.result;
}

function invalid(message: AnyMessage, version: number, problems: readonly string[]): ContractError {
  return new ContractError(
    'CTR_PAYLOAD_INVALID',
    `the payload is not a ${message.type} of version ${version}:`,
    problems,
  );
}

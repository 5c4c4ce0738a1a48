import { equalJson } from '../compat/json-value.ts';
import type { AnyMessage } from '../definition/message.ts';
import { readPayload } from '../reading/read-payload.ts';
import { validatorOf } from '../validation/validator.ts';

/**
 * What is wrong with the steps between versions for one record of a version: an upcast whose result is no valid next version, a downcast
 * whose result is no valid previous one, or a downcast that loses something (the upcast of its result is another record).
 */
export function stepProblems(message: AnyMessage, version: number, record: unknown): readonly string[] {
  const stored = { type: message.type, version, payload: JSON.stringify(record) };
  const newest = readPayload(message, stored, 'newest');
  const problems = newest.status === 'ok' ? [] : [`${message.type}@${version} to ${message.newest}: ${newest.reason}`];
  return message.downcast[version] === undefined
    ? problems
    : [...problems, ...downcastProblems(message, version, stored.payload)];
}

function downcastProblems(message: AnyMessage, version: number, payload: string): readonly string[] {
  const older = readPayload(message, { type: message.type, version, payload }, version - 1);
  if (older.status !== 'ok') return [`${message.type}@${version} back to ${version - 1}: ${older.reason}`];
  const again = readPayload(
    message,
    { type: message.type, version: version - 1, payload: JSON.stringify(older.payload) },
    version,
  );
  if (again.status !== 'ok') return [`${message.type}@${version} back to ${version - 1} and up again: ${again.reason}`];
  return equalJson(again.payload, JSON.parse(payload))
    ? []
    : [
        `${message.type}@${version} back to ${version - 1} and up again is another record; a downcast exists only where nothing is lost`,
      ];
}

/** Whether a writer may emit the record in this version. */
export function isWritable(message: AnyMessage, version: number, record: unknown): boolean {
  const schema = message.versions[version];
  return (
    schema !== undefined &&
    validatorOf(schema, 'closed')(record).length === 0 &&
    validatorOf(schema, 'open')(record).length === 0
  );
}

import { equalJson } from '../compat/json-value.ts';
import type { AnyMessage } from '../definition/message.ts';
import { readPayload } from '../reading/read-payload.ts';
import { validatorOf } from '../validation/validator.ts';

/** What the steps between versions make of one record. */
export interface StepReport {
  readonly problems: readonly string[];
  /** The record is another one after the way down and up again: the older version could not say everything. That may be. */
  readonly loses: boolean;
}

/**
 * Takes one record of a version through every step that it can meet. An upcast must lead to a valid next version, a downcast to a valid
 * previous one that can be read again. A downcast may lose what the older version cannot say, but only once: a record that has been
 * there and back has nothing left to lose, so what changes on a second way is a mistake of the steps.
 */
export function trySteps(message: AnyMessage, version: number, record: unknown): StepReport {
  const newest = convert(message, version, record, message.newest);
  const problems = 'problem' in newest ? [newest.problem] : [];
  if (message.downcast[version] === undefined) return { problems, loses: false };
  const once = thereAndBack(message, version, record);
  if ('problem' in once) return { problems: [...problems, once.problem], loses: false };
  const loses = !equalJson(once.value, record);
  if (!loses) return { problems, loses };
  const twice = thereAndBack(message, version, once.value);
  if ('problem' in twice) return { problems: [...problems, twice.problem], loses };
  const settled = equalJson(twice.value, once.value);
  return { problems: settled ? problems : [...problems, unsettled(message, version)], loses };
}

function unsettled({ type }: AnyMessage, version: number): string {
  return `${type}@${version} back to ${version - 1} and up again changes the record each time; a downcast may lose what version ${version - 1} cannot say, and keeps the rest`;
}

type Converted = { readonly value: unknown } | { readonly problem: string };

function thereAndBack(message: AnyMessage, version: number, record: unknown): Converted {
  const older = convert(message, version, record, version - 1);
  if ('problem' in older) return older;
  // Only writers go down, and they may emit declared members alone.
  if (isWritable(message, version, record) && !isWritable(message, version - 1, older.value))
    return { problem: `${message.type}@${version} to ${version - 1}: returned what a writer may not emit` };
  return convert(message, version - 1, older.value, version);
}

function convert(message: AnyMessage, version: number, record: unknown, wanted: number): Converted {
  const read = readPayload(message, { type: message.type, version, payload: JSON.stringify(record) }, wanted);
  return read.status === 'ok'
    ? { value: read.payload }
    : { problem: `${message.type}@${version} to ${wanted}: ${read.reason}` };
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

import { DEAD_LETTER_REASONS, OUTBOX_STATES } from '@waybill/contracts';

import { StoreError } from '../errors.ts';
import { instantProblem } from '../instant.ts';
import type { DeadLetterFilter } from '../statements/dead-letter-find.ts';
import type { CountFilter } from '../statements/record-count.ts';
import type { RecordFilter } from '../statements/record-page.ts';

/** Why a value cannot be looked for, or null. */
type Check = (value: unknown) => string | null;

const text: Check = (value) =>
  typeof value === 'string' && !/[\0\p{Cs}]/u.test(value) ? null : 'expected text without NUL and lone surrogates';
const oneOf =
  (words: readonly string[]): Check =>
  (value) =>
    words.some((word) => word === value) ? null : `expected one of ${words.join(', ')}`;
const version: Check = (value) =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 2_147_483_647
    ? null
    : 'expected a whole number from 1';

// A member of each filter that is added to its type has to be added here.
const RECORD: Readonly<Record<keyof RecordFilter, Check>> = {
  type: text,
  version,
  state: oneOf(OUTBOX_STATES),
  recordKey: text,
  enqueuedAfter: instantProblem,
  enqueuedBefore: instantProblem,
};
const COUNT: Readonly<Record<keyof CountFilter, Check>> = { type: text, version, state: oneOf(OUTBOX_STATES) };
const DEAD_LETTER: Readonly<Record<keyof DeadLetterFilter, Check>> = {
  type: text,
  version,
  reason: oneOf(DEAD_LETTER_REASONS),
  failedAfter: instantProblem,
  failedBefore: instantProblem,
  recordKey: text,
};

export function checkRecordFilter(filter: unknown): void {
  checkFilter(RECORD, filter);
}

export function checkCountFilter(filter: unknown): void {
  checkFilter(COUNT, filter);
  if (Reflect.get(Object(filter) as object, 'state') === undefined)
    throw refusal(`state: ${String(COUNT.state(null))}`);
}

export function checkDeadLetterFilter(filter: unknown): void {
  checkFilter(DEAD_LETTER, filter);
}

// Closed: a member that nobody knows would choose nothing, and a slip of the pen mean everything.
function checkFilter(checks: Readonly<Record<string, Check>>, filter: unknown): void {
  if (typeof filter !== 'object' || filter === null) throw refusal('filter: expected an object');
  const problems = Object.entries(filter).flatMap(([name, value]: readonly [string, unknown]) => {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined) return [`${name}: expected one of ${Object.keys(checks).join(', ')}`];
    const problem = value === undefined ? null : check(value);
    return problem === null ? [] : [`${name}: ${problem}`];
  });
  if (problems.length > 0) throw refusal(problems.join('; '));
}

function refusal(message: string): StoreError {
  return new StoreError('STO_INVALID_OPTION', message);
}

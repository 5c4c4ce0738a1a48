import { recordKeyProblem, WHEN_UNREADABLE, type WhenUnreadable } from '@waybill/contracts';

import { StoreError } from '../errors.ts';
import { instantProblem } from '../instant.ts';

/** What a caller may say of a message beyond its payload. */
export interface EnqueueOptions {
  /** A uuid of the caller's choice: the same id again is reported, not written twice. Defaults to a new one. */
  readonly id?: string;
  readonly tenant?: string;
  /** Overrides the key that the contract computes from the payload. Empty: no key. */
  readonly recordKey?: string;
  /** Not to be delivered before. The message takes its place in its key now, and later ones wait for it. */
  readonly dueAt?: Date;
  /** When it happened, by the caller's clock. Defaults to the database's time of the enqueue. */
  readonly occurredAt?: Date;
  /** Sent along unchanged. Names and values are text without control characters. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The Event record that is cited, when it is another than the contract's own. */
  readonly event?: string;
  /**
   * What to do while somebody who would have to read the newest version cannot: write the newest older one that all can read (`downcast`, the
   * default), refuse, or write it anyway, which an operator must have allowed in the store. Where nothing fits, the message is refused.
   */
  readonly whenUnreadable?: WhenUnreadable;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
// Brokers carry headers in tables of 64 KiB and less, next to their own.
const MAX_HEADERS_BYTES = 16 * 1024;
const MAX_NAME_BYTES = 256;

/** Refuses what the database could not keep or a transport not carry, all problems at once, before any statement is sent. */
export function checkEnqueueOptions(options: EnqueueOptions): void {
  const problems = [
    problemOf('id', options.id, idProblem),
    problemOf('tenant', options.tenant, nameProblem),
    problemOf('event', options.event, nameProblem),
    problemOf('recordKey', options.recordKey === '' ? undefined : options.recordKey, recordKeyProblem),
    problemOf('dueAt', options.dueAt, instantProblem),
    problemOf('occurredAt', options.occurredAt, instantProblem),
    problemOf('whenUnreadable', options.whenUnreadable, policyProblem),
    ...headerProblems(options.headers ?? {}),
  ].filter((problem) => problem !== null);
  if (problems.length > 0) throw new StoreError('STO_INVALID_OPTION', problems.join('; '));
}

function problemOf<T>(path: string, value: T | undefined, check: (value: T) => string | null): string | null {
  const problem = value === undefined ? null : check(value);
  return problem === null ? null : `${path}: ${problem}`;
}

function nameProblem(value: string): string | null {
  return (
    textProblem(value) ??
    (value === '' || Buffer.byteLength(value) > MAX_NAME_BYTES ? `expected 1 to ${String(MAX_NAME_BYTES)} bytes` : null)
  );
}

function idProblem(value: unknown): string | null {
  return typeof value === 'string' && UUID.test(value) ? null : `expected a uuid, got ${show(value)}`;
}

function policyProblem(value: WhenUnreadable): string | null {
  return WHEN_UNREADABLE.includes(value) ? null : `expected one of ${WHEN_UNREADABLE.join(', ')}`;
}

// NUL and lone surrogates have no place in PostgreSQL's text; control characters would split a header on the wire.
function textProblem(value: unknown): string | null {
  if (typeof value !== 'string') return `expected text, got ${value === null ? 'null' : typeof value}`;
  return /[\p{Cc}\p{Cs}]/u.test(value) ? 'expected text without control characters and lone surrogates' : null;
}

function headerProblems(headers: Readonly<Record<string, string>>): string[] {
  const problems = Object.entries(headers).flatMap(([name, value]) =>
    [textProblem(name), name === '' ? 'expected a name' : null, textProblem(value)]
      .filter((problem) => problem !== null)
      .map((problem) => `headers[${show(name)}]: ${problem}`),
  );
  const bytes = Buffer.byteLength(JSON.stringify(headers));
  return bytes > MAX_HEADERS_BYTES
    ? [...problems, `headers: expected at most ${String(MAX_HEADERS_BYTES)} bytes in all, got ${String(bytes)}`]
    : problems;
}

function show(value: unknown): string {
  if (typeof value !== 'string') return value === null ? 'null' : typeof value;
  return JSON.stringify(value.length > 64 ? `${value.slice(0, 64)}…` : value);
}

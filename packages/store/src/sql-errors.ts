import { StoreError } from './errors.ts';

/** What an error of a statement says about the store. */
export type StoreErrorClass =
  /** The store cannot be used now: wait and try again, and charge nothing to a message. */
  | 'unavailable'
  /** The statement lost against another one: try it again at once. */
  | 'transient'
  /** A bug, drift of the schema, or missing rights: trying again does not help. */
  | 'fatal';

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const UNAVAILABLE_STATES: ReadonlySet<string> = new Set([
  '25006', // read-only transaction: the pool still talks to a server that was demoted
  '3D000', // the database is not there (yet)
  '42501', // rights are not granted yet: a cold start before the grants, reported as unavailable rather than retried in a loop
  '53000',
  '53100',
  '53200',
  '53300',
  '53400', // out of a resource; connections among them
  '57P01',
  '57P02',
  '57P03',
  '57P04',
  '57P05', // shut down, crashed, starting up, database dropped, idle session ended
  '57014', // canceled: a statement timeout
  '25P03', // idle in transaction for too long: the server has ended the session
  '28000',
  '28P01', // not let in
]);
const TRANSIENT_STATES: ReadonlySet<string> = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
  '55P03', // lock not available
]);
// A schema that is not migrated yet looks like this; it is the cold start, not a bug.
const NOT_MIGRATED_STATES: ReadonlySet<string> = new Set(['3F000', '42P01', '42883', '42703']);

const UNAVAILABLE_NODE_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  // postgres.js
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
]);

// pg gives these without a code.
const UNAVAILABLE_MESSAGES = [
  'connection terminated',
  'connection ended',
  'client has encountered a connection error',
  'timeout exceeded when trying to connect',
  'query read timeout',
  'client was closed',
  'cannot use a pool after calling end',
  'server closed the connection',
];

/** Classifies what a driver threw. Anything that is not known is fatal: a bug is shown, never retried in silence. */
export function classifyStoreError(error: unknown): StoreErrorClass {
  for (const { code, message } of causes(error)) {
    if (code !== undefined) {
      if (TRANSIENT_STATES.has(code)) return 'transient';
      if (
        code.startsWith('08') ||
        UNAVAILABLE_STATES.has(code) ||
        NOT_MIGRATED_STATES.has(code) ||
        UNAVAILABLE_NODE_CODES.has(code)
      )
        return 'unavailable';
    }
    const text = message.toLowerCase();
    if (UNAVAILABLE_MESSAGES.some((known) => text.includes(known))) return 'unavailable';
  }
  return 'fatal';
}

// Errors hide inside others (cause, AggregateError); a bound keeps a cycle from turning forever.
const MAX_CAUSES = 16;

function* causes(error: unknown): Generator<{ readonly code: string | undefined; readonly message: string }> {
  const queue: unknown[] = [error];
  for (let seen = 0; seen < MAX_CAUSES && queue.length > 0; seen += 1) {
    const next = queue.shift();
    if (typeof next !== 'object' || next === null) continue;
    const code: unknown = Reflect.get(next, 'code');
    const message: unknown = Reflect.get(next, 'message');
    yield { code: typeof code === 'string' ? code : undefined, message: typeof message === 'string' ? message : '' };
    queue.push(Reflect.get(next, 'cause'));
    // Typed as any[] by the library; nothing is assumed of what is in it.
    if (next instanceof AggregateError) queue.push(...(next.errors as unknown[]));
  }
}

// What the server says of a transaction that is not open, in words that callers know.
const NOT_OPEN: ReadonlyMap<unknown, string> = new Map([
  ['WB001', 'the transaction of this call is gone: its connection was lost, or it has ended'],
  ['25P02', 'the transaction of this call has failed already'],
]);

/** Why the server refused a statement for the state of its transaction, however a library has wrapped its answer; null for any other error. */
export function transactionRefusal(error: unknown): string | null {
  for (const { code } of causes(error)) {
    const refusal = NOT_OPEN.get(code);
    if (refusal !== undefined) return refusal;
  }
  return null;
}

/** Throws `STO_NOT_IN_TRANSACTION` where the server says so, else the error as it is. */
export function explainTransactionError(cause: unknown): never {
  const refusal = transactionRefusal(cause);
  throw refusal === null ? cause : new StoreError('STO_NOT_IN_TRANSACTION', refusal, { cause });
}

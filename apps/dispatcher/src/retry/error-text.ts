/**
 * Text of an error that can be stored and shown: bounded, valid UTF-8 without NUL, and made of names, codes and messages only.
 * Anything can be thrown, so nothing about the value is trusted: each look at it may itself throw or return megabytes.
 */

/** Enough for a cause chain, small enough that a million failed records stay cheap. Bytes of UTF-8. */
const MAX_BYTES = 2_048;
/** A part is cut before anything else touches it, so that a message of many megabytes costs nothing. */
const MAX_PART_LENGTH = 1_024;
/** Deeper causes and further errors of an aggregate repeat what is known; a cycle ends here too. */
const MAX_CAUSES = 4;
const MAX_AGGREGATED = 3;

/** Describes any thrown value. Objects that are no errors are only named: their members may be a payload. */
export function errorText(thrown: unknown): string {
  return cleanErrorText(describe(thrown, 0));
}

/** The code of an error, such as a SQLSTATE; the empty string where there is none. */
export function errorCode(thrown: unknown): string {
  return isObject(thrown) ? part(thrown, 'code') : '';
}

/** Makes any text storable as an error text: bounded, without NUL, lone surrogates, control characters and credentials. */
export function cleanErrorText(text: string): string {
  const shortened = text.slice(0, MAX_BYTES);
  const cleaned = withoutCredentials(shortened)
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    // Tab and line feed are the only control characters that a reader of a log can use.
    .replace(/[^\P{Control}\t\n]/gu, '\uFFFD');
  const { read } = new TextEncoder().encodeInto(cleaned, new Uint8Array(MAX_BYTES));
  return cleaned.slice(0, read);
}

function describe(thrown: unknown, depth: number): string {
  try {
    return isObject(thrown) ? describeObject(thrown, depth) : describePrimitive(thrown);
  } catch {
    // A proxy or a getter that throws: there is no safe way to learn more.
    return 'a thrown value that cannot be inspected';
  }
}

function describePrimitive(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown === '' ? 'an empty string was thrown' : cut(thrown);
  return `${String(thrown)} was thrown`;
}

function describeObject(thrown: object, depth: number): string {
  const message = part(thrown, 'message');
  if (message === '' && !(thrown instanceof Error)) return `a thrown ${typeof thrown}`;
  const code = part(thrown, 'code');
  const head = `${part(thrown, 'name') || 'Error'}${code === '' ? '' : ` [${code}]`}${message === '' ? '' : `: ${message}`}`;
  return depth >= MAX_CAUSES ? head : `${head}${describeAggregated(thrown, depth)}${describeCause(thrown, depth)}`;
}

function describeCause(thrown: object, depth: number): string {
  const cause = read(thrown, 'cause');
  return cause === undefined ? '' : `; caused by ${describe(cause, depth + 1)}`;
}

function describeAggregated(thrown: object, depth: number): string {
  const errors = read(thrown, 'errors');
  if (!Array.isArray(errors) || errors.length === 0) return '';
  // One level only: an aggregate of aggregates would grow with a power.
  const shown = errors.slice(0, MAX_AGGREGATED).map((error) => describe(error, Math.max(depth + 1, MAX_CAUSES)));
  return ` (${errors.length} errors: ${shown.join(', ')}${errors.length > shown.length ? ', …' : ''})`;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** A member as text; the empty string where it is absent, throws or is something else. Error codes may be numbers. */
function part(thrown: object, key: string): string {
  const value = read(thrown, key);
  return typeof value === 'string' || typeof value === 'number' ? cut(String(value)) : '';
}

function read(thrown: object, key: string): unknown {
  try {
    return Reflect.get(thrown, key);
  } catch {
    return undefined;
  }
}

function cut(text: string): string {
  return text.length > MAX_PART_LENGTH ? `${text.slice(0, MAX_PART_LENGTH)}…` : text;
}

/** Drivers and clients like to repeat the address or the header they used. */
function withoutCredentials(text: string): string {
  return text
    .replace(/\b(\w{1,20}:\/\/)[^\s/@]*:[^\s/@]*@/g, '$1***@')
    .replace(/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 ***')
    .replace(/\bwhsec_[\w+/=-]+/g, 'whsec_***')
    .replace(/\b(password|secret|token|api[_-]?key)(["']?\s*[=:]\s*["']?)[^\s"',;&]+/gi, '$1$2***');
}

import { StoreError } from '../errors.ts';

/** Who changes something, and why. Both are kept for good; neither is ever guessed. */
export interface Operator {
  readonly actor: string;
  readonly reason: string;
}

// The constraints of the table "audit" repeat these.
const MAX_ACTOR_BYTES = 256;
const MAX_REASON_BYTES = 4096;

/** Throws `STO_INVALID_OPTION`, naming what is missing, before anything is asked of the database. */
export function checkOperator(by: Operator | undefined): void {
  const { actor, reason } = by ?? {};
  const problems = [problemOf('actor', actor, MAX_ACTOR_BYTES), problemOf('reason', reason, MAX_REASON_BYTES)].filter(
    (problem) => problem !== null,
  );
  if (problems.length > 0) throw new StoreError('STO_INVALID_OPTION', problems.join('; '));
}

function problemOf(name: string, value: unknown, maxBytes: number): string | null {
  if (typeof value !== 'string' || value.trim() === '') return `${name}: expected a text that says something`;
  if (/[\0\p{Cs}]/u.test(value)) return `${name}: expected text without NUL and lone surrogates`;
  return Buffer.byteLength(value) > maxBytes ? `${name}: expected at most ${String(maxBytes)} bytes` : null;
}

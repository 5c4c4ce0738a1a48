import { StoreError } from './errors.ts';
import type { Row } from './executor.ts';

// Drivers disagree on how a bigint, a boolean or an instant arrives, and a host application may have changed the global type parsers of pg.
// Statements therefore cast what they return to text where it matters, and these decoders fail loudly on anything else.

function unexpected(row: Row, column: string, expected: string): StoreError {
  return new StoreError('STO_UNEXPECTED_ROW', `column ${column}: expected ${expected}, got ${typeof row[column]}`);
}

export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === 'string') return value;
  throw unexpected(row, column, 'text');
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null || row[column] === undefined ? null : textOf(row, column);
}

/** An int4, which every driver gives as a number unless the host has changed that. */
export function integerOf(row: Row, column: string): number {
  const value = Number(row[column]);
  if (row[column] !== null && Number.isSafeInteger(value)) return value;
  throw unexpected(row, column, 'an integer');
}

// PostgreSQL counts further than a Date does, up to infinity. One such row must not take all that was read with it along.
const LAST_MS = 8.64e15;

/** Milliseconds since 1970, returned by the statement as a number in text. Beyond the last instant that a Date can hold: that one. */
export function instantOf(row: Row, column: string): Date {
  const date = new Date(Math.max(-LAST_MS, Math.min(LAST_MS, Number(textOf(row, column)))));
  if (!Number.isNaN(date.getTime())) return date;
  throw unexpected(row, column, 'an instant');
}

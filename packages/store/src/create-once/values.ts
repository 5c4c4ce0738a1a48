import { StoreError } from '../errors.ts';

/** Values of columns as one JSON text, or a refusal of what JSON would change in silence. */
export function jsonOf(values: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(values).map(([column, value]) => [column, written(column, value)])),
  );
}

function written(column: string, value: unknown): unknown {
  // PostgreSQL reads a whole number of any size from its digits.
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (typeof value === 'number' && !Number.isFinite(value)) throw refuse(column, String(value));
  if (value instanceof Date && Number.isNaN(value.getTime())) throw refuse(column, 'an invalid Date');
  if (typeof value === 'function' || typeof value === 'symbol') throw refuse(column, `a ${typeof value}`);
  return value;
}

function refuse(column: string, got: string): StoreError {
  return new StoreError('STO_INVALID_OPTION', `createOnce: column ${JSON.stringify(column)}: got ${got}`);
}

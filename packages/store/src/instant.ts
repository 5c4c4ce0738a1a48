/** Why a value is no time that the store can keep, or null. Other years have no form that PostgreSQL, JavaScript and CloudEvents agree upon. */
export function instantProblem(value: unknown): string | null {
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) return 'expected a valid Date';
  const year = value.getUTCFullYear();
  return year >= 1 && year <= 9999 ? null : `expected a year from 1 to 9999, got ${String(year)}`;
}

import { StoreError } from './errors.ts';

// PostgreSQL's calendar begins in 4713 BC. Three thousand years are long enough to keep anything.
const MOST = 1e14;

/** Throws `STO_INVALID_OPTION` unless ages (in milliseconds) and sizes are whole numbers above 0 that the database can count back by. */
export function checkAges(values: Readonly<Record<string, unknown>>): void {
  const problems = Object.entries(values).filter(
    ([, value]) => !(Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= MOST),
  );
  if (problems.length === 0) return;
  throw new StoreError(
    'STO_INVALID_OPTION',
    problems.map(([name]) => `${name}: expected a whole number above 0 and at most ${String(MOST)}`).join('; '),
  );
}

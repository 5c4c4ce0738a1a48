import { StoreError } from '../errors.ts';
import { instantProblem } from '../instant.ts';

/** Whether it has passed already is the database's to say: what has, does nothing. */
export function checkExpiry(until: unknown): void {
  const problem = instantProblem(until);
  if (problem !== null) throw new StoreError('STO_INVALID_OPTION', `until: ${problem}`);
}

import { StoreError } from '../errors.ts';

/** Whether it has passed already is the database's to say: what has, does nothing. */
export function checkExpiry(until: Date): void {
  if (Number.isNaN(until.getTime())) throw new StoreError('STO_INVALID_OPTION', 'until: expected a valid time');
}

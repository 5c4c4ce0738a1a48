import assert from 'node:assert/strict';
import type { DriverOutbox, DriverTarget, DriverUnderTest } from './target.ts';

/** What a case works with: a driver that is connected, its functions for the standard schema, and an empty store. */
export interface DriverContext<Tx> {
  readonly target: DriverTarget<Tx>;
  readonly driver: DriverUnderTest<Tx>;
  readonly outbox: DriverOutbox<Tx>;
}

/** One requirement of the suite. Throws an `AssertionError` where it is not met. */
export interface DriverCase {
  /** Starts with the ids that the case is a proof of. */
  readonly title: string;
  run<Tx>(context: DriverContext<Tx>): Promise<void>;
}

/** Thrown by cases to have a transaction rolled back. */
export const CHANGE_OF_MIND: Error = new Error('the caller changed its mind');

export const REFUSED = { code: 'STO_NOT_IN_TRANSACTION' } as const;

/** A table of the caller's own, with one column. */
export const BUSINESS_TABLE = 'driver_suite_business';

/** Expects the caller's rows and the messages to number as many as given. */
export async function expectCommitted<Tx>(
  target: DriverTarget<Tx>,
  expected: { readonly rows: number; readonly messages: number },
): Promise<void> {
  const [count] = await target.query(`select count(*)::integer as rows from public.${BUSINESS_TABLE}`);
  assert.deepEqual({ rows: Number(count?.['rows']), messages: (await target.stored()).length }, expected);
}

/** The `step` of each stored message, in order. */
export async function storedSteps<Tx>(target: DriverTarget<Tx>): Promise<readonly number[]> {
  const stored = await target.stored();
  return stored.map(({ payload }) => (JSON.parse(payload) as { readonly step: number }).step); // what the cases enqueue
}

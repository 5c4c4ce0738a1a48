import type { TestRunner } from '../transport-suite/transport-suite.ts';
import { CONTENT_CASES } from './content-cases.ts';
import { BUSINESS_TABLE, type DriverCase } from './driver-case.ts';
import { REFUSAL_CASES } from './refusal-cases.ts';
import { SURROUNDINGS_CASES } from './surroundings-cases.ts';
import type { DriverTarget } from './target.ts';
import { TRANSACTION_CASES } from './transaction-cases.ts';

/** Every case of the suite, for a runner that cannot use {@link driverSuite}. */
export const DRIVER_CASES: readonly DriverCase[] = [
  ...TRANSACTION_CASES,
  ...REFUSAL_CASES,
  ...CONTENT_CASES,
  ...SURROUNDINGS_CASES,
];

// A machine that runs a whole test suite is slow; only an enqueue that hangs ever waits that long.
const CASE_TIMEOUT_MS = 240_000;

/**
 * Registers the conformance suite of enqueue drivers: messages commit and roll back with the caller's transaction, nothing but an open transaction
 * is taken, and what is enqueued arrives as it was given.
 *
 * @example
 * ```ts
 * import { afterAll, beforeAll, describe, test } from 'vitest';
 * driverSuite({ describe, test, beforeAll, afterAll }, 'my-driver', startMyTarget);
 * ```
 */
export function driverSuite<Tx>(runner: TestRunner, name: string, start: () => Promise<DriverTarget<Tx>>): void {
  runner.describe(`${name} passes the driver suite`, () => {
    let target: DriverTarget<Tx> | null = null;
    runner.beforeAll(async () => {
      target = await start();
      await target.query(`create table public.${BUSINESS_TABLE} (id integer)`);
    }, CASE_TIMEOUT_MS);
    runner.afterAll(async () => {
      await target?.stop();
    }, CASE_TIMEOUT_MS);

    for (const driverCase of DRIVER_CASES) {
      runner.test(
        `${driverCase.title} (${name})`,
        async () => {
          if (!target) throw new Error(`the target of ${name} did not start`);
          await target.query(`truncate public.${BUSINESS_TABLE}`);
          await target.forget();
          const { driver } = target;
          await driverCase.run({ target, driver, outbox: driver.outbox() });
        },
        CASE_TIMEOUT_MS,
      );
    }
  });
}

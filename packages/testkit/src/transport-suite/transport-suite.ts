import { DELIVERY_CASES } from './delivery-cases.ts';
import { FAILURE_CASES } from './failure-cases.ts';
import { LIFE_CYCLE_CASES } from './life-cycle-cases.ts';
import { ODD_MESSAGE_CASES } from './odd-message-cases.ts';
import { OUTAGE_CASE } from './outage-case.ts';
import type { SuiteCase } from './suite-case.ts';
import type { TransportTarget } from './target.ts';
import { WINDOW_CASES } from './window-cases.ts';

/** The functions of a test runner that the suite needs; those of vitest fit. */
export interface TestRunner {
  describe(name: string, define: () => void): void;
  test(name: string, run: (context: SkippableTest) => Promise<void>, timeoutMs?: number): void;
  beforeAll(run: () => Promise<void>, timeoutMs?: number): void;
  afterAll(run: () => Promise<void>, timeoutMs?: number): void;
}

/** What a runner hands to a test, as far as the suite uses it. */
export interface SkippableTest {
  /** Ends the test as skipped, by throwing. */
  skip(note: string): never;
}

/** How much the suite does. */
export interface SuiteScale {
  /** Messages of the leak case; from 10,000 on the heap is weighed too. Default 500. */
  readonly leakMessages?: number;
}

/** Every case of the suite, for a runner that cannot use {@link transportSuite}. */
export const TRANSPORT_CASES: readonly SuiteCase[] = [
  ...DELIVERY_CASES,
  ...ODD_MESSAGE_CASES,
  ...FAILURE_CASES,
  OUTAGE_CASE,
  ...WINDOW_CASES,
  ...LIFE_CYCLE_CASES,
];

// For hangs alone: a machine that runs a whole test suite is slow.
const START_TIMEOUT_MS = 240_000;
const CASE_TIMEOUT_MS = 240_000;

/**
 * Registers the conformance suite of transports against one real target.
 *
 * @example
 * ```ts
 * import { afterAll, beforeAll, describe, test } from 'vitest';
 * transportSuite({ describe, test, beforeAll, afterAll }, 'my-transport', startMyTarget);
 * ```
 */
export function transportSuite(
  runner: TestRunner,
  name: string,
  start: () => Promise<TransportTarget>,
  scale: SuiteScale = {},
): void {
  const leakMessages = scale.leakMessages ?? 500;
  runner.describe(`${name} passes the transport suite`, () => {
    let target: TransportTarget | null = null;
    runner.beforeAll(async () => {
      target = await start();
    }, START_TIMEOUT_MS);
    runner.afterAll(async () => {
      await target?.stop();
    }, START_TIMEOUT_MS);

    for (const { title, run } of TRANSPORT_CASES) {
      runner.test(
        `${title} (${name})`,
        async (test) => {
          if (!target) throw new Error(`the target of ${name} did not start`);
          await run({ target, leakMessages, skip: (reason) => test.skip(reason) });
        },
        CASE_TIMEOUT_MS + leakMessages * 10,
      );
    }
  });
}

import fc from 'fast-check';
import type { AnyMessage } from '../definition/message.ts';
import { payloadsOf } from './arbitrary-payload.ts';
import { stepProblems } from './step-problems.ts';

/**
 * Asserts for generated payloads of every version that upcasts lead to valid newest ones and that downcasts lose nothing.
 *
 * @param options.numRuns payloads per version (100), `seed` repeats a failed run.
 * @throws Error of fast-check with the smallest payload that fails.
 */
export function assertSteps(
  message: AnyMessage,
  options: { readonly numRuns?: number; readonly seed?: number } = {},
): void {
  for (const version of Object.keys(message.versions).map(Number)) {
    fc.assert(
      fc.property(payloadsOf(message, version), (payload) => {
        const problems = stepProblems(message, version, payload);
        if (problems.length > 0) throw new Error(problems.join('\n'));
      }),
      { ...options, includeErrorInReport: true },
    );
  }
}

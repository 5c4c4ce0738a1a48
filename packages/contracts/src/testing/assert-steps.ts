import fc from 'fast-check';
import type { AnyMessage } from '../definition/message.ts';
import { payloadsOf } from './arbitrary-payload.ts';
import { trySteps } from './step-problems.ts';

/**
 * Asserts for generated payloads of every version that upcasts lead to valid newest ones, and downcasts to valid older ones that can be read
 * again.
 *
 * @param options.numRuns payloads per version (100), `seed` repeats a failed run. `lossless` asks that the way down and up again changes no payload.
 * @throws Error of fast-check with the smallest payload that fails.
 */
export function assertSteps(
  message: AnyMessage,
  {
    lossless = false,
    ...options
  }: { readonly numRuns?: number; readonly seed?: number; readonly lossless?: boolean } = {},
): void {
  for (const version of Object.keys(message.versions).map(Number)) {
    fc.assert(
      fc.property(payloadsOf(message, version), (payload) => {
        const { problems, loses } = trySteps(message, version, payload);
        if (problems.length > 0) throw new Error(problems.join('\n'));
        if (lossless && loses)
          throw new Error(`${message.type}@${version} back to ${version - 1} and up again is another record`);
      }),
      { ...options, includeErrorInReport: true },
    );
  }
}

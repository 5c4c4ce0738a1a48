import fc from 'fast-check';
import type { AnyMessage } from '../definition/message.ts';
import { payloadsOf } from './arbitrary-payload.ts';

// Made once for a message: its schema is prepared each time otherwise.
const arbitraries = new WeakMap<AnyMessage, fc.Arbitrary<unknown>>();

/** One payload of the newest version of a message, the same one for the same seed: what `simulateRollout` of `@waybill/testkit` asks for. */
export function payloadOf(message: AnyMessage, seed: number): unknown {
  const arbitrary = arbitraries.get(message) ?? payloadsOf(message, message.newest);
  arbitraries.set(message, arbitrary);
  return fc.sample(arbitrary, { seed, numRuns: 1 })[0];
}

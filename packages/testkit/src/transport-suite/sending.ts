import assert from 'node:assert/strict';
import type { TransportOutcome } from '@waybill/contracts';
import { type TestMessage, testMessage } from '../test-message.ts';
import type { TransportTarget, TransportUnderTest } from './target.ts';

// Generous, since a machine that runs a whole test suite is slow; only a hanging transport ever waits that long.
const PATIENCE_MS = 60_000;

/** Publishes without a limit that would matter. */
export function publish(
  transport: TransportUnderTest,
  ...batch: readonly TestMessage[]
): Promise<readonly TransportOutcome[]> {
  return publishFor(transport, batch, PATIENCE_MS);
}

/** Publishes with a deadline some time from now. */
export function publishFor(
  transport: TransportUnderTest,
  batch: readonly TestMessage[],
  ms: number,
): Promise<readonly TransportOutcome[]> {
  return transport.publish(batch, { signal: new AbortController().signal, deadline: performance.now() + ms });
}

/** Publishes one message after the other until the target takes one again, and returns that one. */
export async function publishUntilAccepted(transport: TransportUnderTest): Promise<TestMessage> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const message = testMessage();
    const [outcome] = await publish(transport, message);
    if (outcome?.outcome === 'accepted') return message;
    assert.ok(performance.now() < giveUpAt, `still not accepted: ${JSON.stringify(outcome)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The names of the outcomes, for comparing a batch at once. */
export function names(outcomes: readonly TransportOutcome[]): readonly string[] {
  return outcomes.map(({ outcome }) => outcome);
}

/** Those of the messages that the target holds, in its order and as often as it holds them. */
export async function heldOf(target: TransportTarget, messages: readonly TestMessage[]): Promise<readonly string[]> {
  const wanted = new Set(messages.map(({ id }) => id));
  const held = await target.held();
  return held.map(({ id }) => id).filter((id) => wanted.has(id));
}

/** Opens a transport for the time of `work`. */
export async function withTransport<T>(
  target: TransportTarget,
  work: (transport: TransportUnderTest) => Promise<T>,
): Promise<T> {
  const transport = await target.open();
  try {
    return await work(transport);
  } finally {
    await transport.close();
  }
}

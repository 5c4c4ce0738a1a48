import type { TransportOutcome } from '@waybill/contracts';
import { NOT_SENT, type Transport } from '@waybill/transports';
import type { Clock } from '../loop/clock.ts';
import type { HeldRun } from '../loop/held-run.ts';
import { errorText } from '../retry/error-text.ts';
import { checkedOutcome } from './checked-outcome.ts';
import { outgoing, type ReadRecord } from './envelope.ts';
import { type AttemptOutcome, LEASE_LOST } from './outcome.ts';

/** A transport ends by its deadline on its own; one that is this late has forgotten to, and its worker is not left waiting. */
const GRACE_MS = 500;

/** Hands records to a transport, in their order. No transaction is open meanwhile; sending has to end before the lease is no longer safe. */
export async function publishAttempt(
  to: Transport,
  records: readonly ReadRecord[],
  run: HeldRun,
  clock: Clock,
): Promise<readonly AttemptOutcome[]> {
  const deadline = run.safeUntil;
  const outcomes = await orOverdue(publishAll(to, records, run, deadline), clock, deadline + GRACE_MS);
  return records.map((_, index) => {
    const outcome = outcomes === null ? OVERDUE : (checkedOutcome(outcomes[index]) ?? noOutcome(to));
    return outcome.outcome === 'retry' && outcome.class === NOT_SENT ? LEASE_LOST : outcome;
  });
}

async function publishAll(
  to: Transport,
  records: readonly ReadRecord[],
  { signal }: HeldRun,
  deadline: number,
): Promise<readonly unknown[]> {
  try {
    const outcomes: unknown = await to.publish(records.map(outgoing), { signal, deadline });
    // A transport in JavaScript may forget to return; then each of its outcomes is missing.
    return Array.isArray(outcomes) ? (outcomes as readonly unknown[]) : [];
  } catch (thrown) {
    // Nobody knows how far it had come.
    const outcome: TransportOutcome = { outcome: 'unknown', class: 'transport-error', detail: errorText(thrown) };
    return records.map(() => outcome);
  }
}

const OVERDUE: TransportOutcome = {
  outcome: 'unknown',
  class: 'overdue',
  detail: 'the transport did not end by its deadline',
};

function noOutcome({ name }: Transport): TransportOutcome {
  return { outcome: 'unknown', class: 'invalid-outcome', detail: `${name} gave no outcome that exists` };
}

/** Null when it has not ended by then. */
async function orOverdue<T>(publishing: Promise<T>, clock: Clock, overdueAt: number): Promise<T | null> {
  const ended = new AbortController();
  const overdue = clock.sleep(overdueAt - clock.now(), ended.signal).then(() => null);
  try {
    return await Promise.race([publishing, overdue]);
  } finally {
    // With a reason of our own: the default one is an error, and costs its stack.
    ended.abort('ended');
  }
}

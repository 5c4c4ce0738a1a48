import type { TransportOutcome } from '@waybill/contracts';
import { NOT_SENT } from '@waybill/transports';
import type { Clock } from '../loop/clock.ts';
import type { HeldRun } from '../loop/held-run.ts';
import { errorText } from '../retry/error-text.ts';
import type { PublishRoute } from '../routes/route.ts';
import { checkedOutcome } from './checked-outcome.ts';
import { outgoing, type ReadRecord } from './envelope.ts';
import { type AttemptOutcome, LEASE_LOST } from './outcome.ts';

/** A transport ends by its deadline on its own; one that is this late has forgotten to, and its worker is not left waiting. */
const GRACE_MS = 500;

/** Hands a record to a transport. No transaction is open meanwhile; sending has to end before the lease is no longer safe. */
export async function publishAttempt(
  route: PublishRoute,
  record: ReadRecord,
  run: HeldRun,
  clock: Clock,
): Promise<AttemptOutcome> {
  const deadline = run.safeUntil;
  const outcome = await orOverdue(publishOne(route, record, run, deadline), clock, deadline + GRACE_MS);
  if (outcome.outcome === 'retry' && outcome.class === NOT_SENT) return LEASE_LOST;
  return outcome;
}

async function publishOne(
  route: PublishRoute,
  record: ReadRecord,
  { signal }: HeldRun,
  deadline: number,
): Promise<TransportOutcome> {
  try {
    const [outcome] = await route.to.publish([outgoing(record)], { signal, deadline });
    return (
      checkedOutcome(outcome) ?? {
        outcome: 'unknown',
        class: 'invalid-outcome',
        detail: `${route.to.name} gave no outcome that exists`,
      }
    );
  } catch (thrown) {
    // Nobody knows how far it had come.
    return { outcome: 'unknown', class: 'transport-error', detail: errorText(thrown) };
  }
}

async function orOverdue(
  publishing: Promise<TransportOutcome>,
  clock: Clock,
  overdueAt: number,
): Promise<TransportOutcome> {
  const ended = new AbortController();
  const overdue = clock.sleep(overdueAt - clock.now(), ended.signal).then(
    (): TransportOutcome => ({
      outcome: 'unknown',
      class: 'overdue',
      detail: 'the transport did not end by its deadline',
    }),
  );
  try {
    return await Promise.race([publishing, overdue]);
  } finally {
    ended.abort();
  }
}

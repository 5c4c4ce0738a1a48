import type { TypedRecord } from '@waybill/store';
import type { Clock } from '../loop/clock.ts';
import type { HeldRun } from '../loop/held-run.ts';
import type { PublishRoute } from '../routes/route.ts';
import { type EndingDeps, endOf, type OpenEnd } from './end.ts';
import type { ReadRecord } from './envelope.ts';
import { type AttemptOutcome, LEASE_LOST } from './outcome.ts';
import { publishAttempt } from './publish-attempt.ts';
import { type ReadingDeps, readRecord, unreadableOutcome } from './read-record.ts';

export interface PublishDeps extends ReadingDeps, EndingDeps {
  readonly clock: Clock;
}

/** A record of a run, and where its type is published. */
export interface Published {
  readonly record: TypedRecord;
  readonly route: PublishRoute;
}

/**
 * Publishes records of a run, all of which lead to one transport. The first that cannot be read ends what is sent. Gives an end for each; what
 * comes after the first that was not delivered is as if nobody had touched it.
 */
export async function publishTogether(
  records: readonly [Published, ...Published[]],
  run: HeldRun,
  deps: PublishDeps,
): Promise<readonly OpenEnd[]> {
  const [{ route }] = records;
  const read: ReadRecord[] = [];
  for (const one of records) {
    const result = readRecord(one.route, one.record, run, deps);
    if (!('read' in result)) {
      const outcomes = read.length === 0 ? [] : await publishAttempt(route.to, read, run, deps.clock);
      const why = outcomes.every(isAccepted) ? await unreadableOutcome(one.record, run, result, deps) : LEASE_LOST;
      return endsOf(records, [...outcomes, why], run, deps);
    }
    read.push(result);
  }
  return endsOf(records, await publishAttempt(route.to, read, run, deps.clock), run, deps);
}

function endsOf(
  records: readonly Published[],
  outcomes: readonly AttemptOutcome[],
  run: HeldRun,
  deps: PublishDeps,
): readonly OpenEnd[] {
  const failed = outcomes.findIndex((outcome) => !isAccepted(outcome));
  return records.map(({ record }, index) => {
    const isTried = failed < 0 || index <= failed;
    return endOf((isTried ? outcomes[index] : null) ?? LEASE_LOST, record, run, deps);
  });
}

function isAccepted({ outcome }: AttemptOutcome): boolean {
  return outcome === 'accepted';
}

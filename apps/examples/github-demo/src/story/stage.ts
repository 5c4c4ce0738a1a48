import type { Fleet } from '../fleet/fleet.ts';
import type { Random } from '../input/random.ts';
import type { Arrival } from '../input/traffic.ts';
import type { Observer } from '../observation/waybill-tables.ts';
import type { Progress } from '../report/progress.ts';
import type { ContractRelease } from '../services/service.ts';
import { type Services, write } from '../services/writers.ts';
import type { Tally } from './tally.ts';
import { until } from './until.ts';

/** Everything that a chapter of the story works with. */
export interface Stage {
  readonly services: Services;
  readonly fleet: Fleet;
  readonly observer: Observer;
  readonly tally: Tally;
  readonly progress: Progress;
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** Webhooks that each service handles at once: enough for transactions of the same entity to meet, and no more than two cores carry. */
const WRITERS_PER_SERVICE = 6;

/** Lets the services handle a part of the traffic. */
export async function writeTraffic(
  stage: Stage,
  arrivals: readonly Arrival[],
  releaseOf: (arrival: Arrival) => ContractRelease,
): Promise<void> {
  await write(stage.services, arrivals, {
    concurrency: WRITERS_PER_SERVICE,
    releaseOf,
    onHandled: (handled) => {
      stage.tally.note(handled);
    },
    signal: stage.signal,
  });
}

/** During a rollout of the services, an old or a new instance answers, as it happens. */
export function eitherRelease(stage: Stage): () => ContractRelease {
  return () => (stage.random() < 0.5 ? 1 : 2);
}

/** Waits until every record has ended, as delivered or dead. */
export async function untilDrained(stage: Stage): Promise<void> {
  await until('every record has ended', async () => (await stage.observer.backlog()).length === 0, stage.signal);
}

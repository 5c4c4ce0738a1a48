import type { SimulatedBuild } from './build.ts';
import { InvariantBroken, type RolloutInvariant } from './fault.ts';
import { finish } from './finale.ts';
import { checkPromises, checkRecords } from './invariants.ts';
import { perform } from './perform.ts';
import { randomSchedule } from './random-schedule.ts';
import { shrink } from './shrink.ts';
import type { RolloutStep } from './step.ts';
import type { RolloutTarget } from './target.ts';
import { type MakePayload, World } from './world.ts';

export interface RolloutSimulation {
  /** The releases that schedules may deploy and go back to. */
  readonly builds: readonly SimulatedBuild[];
  /** The steps, or how many random ones; 40 unless given. */
  readonly schedule?: readonly RolloutStep[] | number;
  /** What all chance is derived from. */
  readonly seed: number;
  /** The store; whatever is in it is forgotten. */
  readonly target: RolloutTarget;
  /** Payloads of the newest version of a message: `payloadOf` of `@waybill/contracts/testing` makes them from the schema. */
  readonly payload: MakePayload;
  /** Whether a schedule that fails is made as short as possible. Defaults to true. */
  readonly shrinks?: boolean;
}

/** How a schedule broke an invariant. */
export interface RolloutFault {
  readonly seed: number;
  readonly invariant: RolloutInvariant;
  readonly detail: string;
  /** The shortest schedule found that fails so; give it as `schedule`, with the same seed, to see it again. */
  readonly schedule: readonly RolloutStep[];
  /** The error of the store, where it was one. */
  readonly cause: unknown;
}

export interface RolloutReport {
  readonly seed: number;
  /** Null: every invariant held after every step and at the end. */
  readonly fault: RolloutFault | null;
  /** How often what happened: `gate rollback safe`, `lease-lost`, `downcast` … */
  readonly tally: Readonly<Record<string, number>>;
}

const STEPS = 40;

/**
 * Runs one schedule of deploys, rollbacks, crashes, pauses, replays and retirements against a real store, with the contracts of real builds, and holds
 * the store against a model of it after every step. At the end every build runs, and every committed message has to arrive.
 *
 * One thing happens at a time, so that the same seed gives the same run; what overlaps in reality (a lease and a crash, a transaction and a gate)
 * overlaps here by steps in between.
 */
export async function simulateRollout(simulation: RolloutSimulation): Promise<RolloutReport> {
  const { builds, schedule = STEPS, seed, shrinks = true } = simulation;
  const steps = typeof schedule === 'number' ? randomSchedule(builds, seed, schedule) : schedule;
  const { broken, tally } = await run(simulation, steps);
  if (broken === null) return { seed, fault: null, tally };
  const alike = async (shorter: readonly RolloutStep[]): Promise<boolean> =>
    (await run(simulation, shorter)).broken?.invariant === broken.invariant;
  const shortest = shrinks ? await shrink(steps, alike) : steps;
  const shown = (await run(simulation, shortest)).broken ?? broken;
  const { invariant, message: detail, cause } = shown;
  return { seed, fault: { seed, invariant, detail, schedule: shortest, cause }, tally };
}

async function run(
  { builds, seed, target, payload }: RolloutSimulation,
  steps: readonly RolloutStep[],
): Promise<{ readonly broken: InvariantBroken | null; readonly tally: RolloutReport['tally'] }> {
  await target.empty();
  const world = new World({ target, builds, payload, seed });
  let broken: InvariantBroken | null = null;
  try {
    for (const step of steps) {
      await perform(world, step);
      await check(world);
    }
    await finish(world);
    await check(world);
  } catch (error) {
    broken = error instanceof InvariantBroken ? error : asBroken(error);
  } finally {
    for (const transaction of [...world.transactions]) await transaction.end('abort');
  }
  return { broken, tally: Object.fromEntries(world.tally) };
}

async function check(world: World): Promise<void> {
  await checkRecords(world);
  checkPromises(world);
}

/** What the store throws where nothing should fail is a fault like any other: a schedule leads to it. */
function asBroken(error: unknown): InvariantBroken {
  return new InvariantBroken('error', error instanceof Error ? error.message : String(error), { cause: error });
}

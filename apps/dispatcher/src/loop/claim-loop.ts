import { type ClaimAnswer, classifyStoreError, type Store, sweep } from '@waybill/store';
import type { UnreadablePairs } from '../attempt/unreadable-pairs.ts';
import type { Destinations, Lane } from '../flow/destinations.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { Clock } from './clock.ts';
import type { HeadBudget } from './head-budget.ts';
import { HeldRun, RELEASE } from './held-run.ts';
import type { HeldRuns } from './held-runs.ts';
import type { Pace } from './pace.ts';
import { isFull, pauseMs, pollingWith, TIMED_EVERY_MS } from './polling.ts';
import type { RunBuffer } from './run-buffer.ts';
import type { Session } from './session.ts';
import type { LoopSettings } from './settings.ts';
import type { StoreHealth } from './store-health.ts';
import type { Suspects } from './suspects.ts';
import type { Wakeup } from './wakeup.ts';

export interface ClaimLoopDeps {
  readonly store: Store;
  readonly buffer: RunBuffer;
  readonly held: HeldRuns;
  readonly pace: Pace;
  readonly headBudget: HeadBudget;
  readonly byteBudget: ByteBudget;
  readonly unreadable: UnreadablePairs;
  readonly health: StoreHealth;
  readonly suspects: Suspects;
  readonly destinations: Destinations;
  /** News for the loop: a worker took a run, or something was settled. */
  readonly demand: Wakeup;
  /** Fires when nothing more may be claimed. */
  readonly stopping: AbortSignal;
  readonly settings: LoopSettings;
  /** Part of the lease, in milliseconds, that is kept free for ending what is under way. */
  readonly marginMs: number;
  /** Called each time round, whatever the round found. */
  readonly onRound: () => void;
  /** Called after each claim that was answered. */
  readonly onClaimed: (records: number) => void;
  /** Whether a commit tells this process of its messages. */
  readonly isHinted: () => boolean;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Bounds one sweep; the next claim says when there is more. */
const SWEEP = { most: 100, retryMs: 100 } as const;

/** What one batch takes at most: enough for every worker and a few rounds, little enough to end soon. */
const BATCH_RECORDS = 100;

/**
 * Claims for the workers until the session is lost, the program stops or `over` says so. In batches, nothing is claimed before all of the batch
 * before has ended. Never throws: what goes wrong is reported and rested on.
 */
export async function claimUntilOver(session: Session, deps: ClaimLoopDeps, over: () => boolean): Promise<void> {
  const { clock, settings, demand, pace, buffer, held } = deps;
  let restMs = 0;
  let timedAt = Number.NEGATIVE_INFINITY;
  let nextDueAt = Number.POSITIVE_INFINITY;
  while (!isOver(session, deps) && !over()) {
    deps.onRound();
    const inBatches = session.drainMode === 'batch';
    if (!inBatches && !pace.isMoving(clock.now())) giveBack(session, deps);
    const batch = held.size > 0 ? 0 : BATCH_RECORDS;
    const wanted = inBatches
      ? batch
      : pace.claimLimit({ buffered: buffer.records, idle: buffer.idle, now: clock.now() });
    const limit = deps.byteBudget.records(wanted, buffer.records);
    if (limit === 0) {
      await demand.wait(clock, settings.polling.idleMs);
      continue;
    }
    const timed = clock.now() - timedAt >= TIMED_EVERY_MS;
    if (timed) timedAt = clock.now();
    const found = await claimLanes(session, { limit, timed }, deps);
    if (found === null) {
      await clock.sleep(deps.health.restMs(), deps.stopping);
      continue;
    }
    if (timed) nextDueAt = clock.now() + (found.nextDueMs ?? Number.POSITIVE_INFINITY);
    const polling = pollingWith(deps.isHinted(), settings.polling);
    restMs = pauseMs({ records: found.records, isFull: found.isFull }, restMs, polling, deps.random);
    const changeMs = Math.min(nextDueAt - clock.now(), deps.destinations.msUntilChange());
    if (await rest(untilDue(restMs, changeMs), deps)) restMs = 0;
  }
}

/** Rests, at least as long as between two claims under load, and then until there are news. Gives whether there were. */
async function rest(ms: number, { clock, demand, settings, stopping }: ClaimLoopDeps): Promise<boolean> {
  const leastMs = Math.min(ms, settings.polling.busyMs);
  if (ms > 0) await clock.sleep(leastMs, stopping);
  return ms > leastMs && (await demand.wait(clock, ms - leastMs));
}

/** A retry that is due soon ends the rest; it is found by the next look at what is due, and that has its own pace. */
function untilDue(restMs: number, dueInMs: number): number {
  return Math.min(restMs, Math.max(dueInMs, Math.min(restMs, TIMED_EVERY_MS)));
}

interface Found {
  /** How many records were claimed. */
  readonly records: number;
  /** More may be left that could be claimed at once. */
  readonly isFull: boolean;
  /** When the next retry or delay is due; null: nothing is, or the claim did not look. */
  readonly nextDueMs: number | null;
}

interface Request {
  readonly limit: number;
  readonly timed: boolean;
}

/** One claim for all destinations that take as much as they get, and one for each other that takes something now. Null when the store failed. */
async function claimLanes(session: Session, { limit, timed }: Request, deps: ClaimLoopDeps): Promise<Found | null> {
  let found: Found = { records: 0, isFull: false, nextDueMs: null };
  // Where everything is closed, the store is still asked whether it stays so.
  const lanes = deps.destinations.lanes();
  for (const lane of lanes.length > 0 ? lanes : [NO_LANE]) {
    const left = limit - found.records;
    if (left === 0 || isOver(session, deps)) break;
    const claimed = await claimOnce(session, lane, { limit: left, timed }, deps);
    if (claimed === null) return null;
    found = {
      records: found.records + claimed.records,
      isFull: found.isFull || claimed.isFull,
      nextDueMs: earlier(found.nextDueMs, claimed.nextDueMs),
    };
  }
  return found;
}

const NO_LANE: Lane = { types: [], runs: 0, records: 0, atOnce: 1 };

/**
 * Keys that a claim asks for in any case, where there are as many: two for each worker, and half of what a target takes at once. Such a target
 * answers many messages in the time of one, but those of a key go one after the other.
 */
function leastHeads({ atOnce }: Lane, { workers }: LoopSettings): number {
  return Math.max(2 * workers.concurrency, atOnce / 2);
}

function earlier(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** Gives what was claimed; null when the store failed. */
async function claimOnce(
  session: Session,
  lane: Lane,
  { limit, timed }: Request,
  deps: ClaimLoopDeps,
): Promise<Found | null> {
  const { store, settings, unreadable, health, clock, headBudget } = deps;
  const records = Math.min(limit, lane.records);
  // The lease begins at the server after this moment, so counting from here errs on the safe side.
  const sentAt = clock.now();
  try {
    const asks = unreadable.readable(session.contractsOf(lane.types));
    const budget = headBudget.heads(records, leastHeads(lane, settings));
    const heads = Math.min(lane.runs, budget);
    const runLength = Math.min(settings.workers.runLength, Math.max(1, records));
    const answer = await health.measure('claim', () =>
      session.claimer.claim({ limit: records, heads, runLength, timed, asks }),
    );
    // A lane that takes fewer by itself says nothing about the keys.
    if (heads === budget) headBudget.learn(answer.runs, heads);
    if (answer.pauses !== null) deps.destinations.pause(answer.pauses);
    deps.byteBudget.learn(answer.runs.flatMap((run) => run.records));
    const taken = take(answer, session, sentAt + settings.lease.leaseMs - deps.marginMs, deps);
    if (answer.sweepDue && !isOver(session, deps))
      await health.measure('sweep', () => sweep(store.database, store, SWEEP));
    if (answer.suspects && deps.suspects.role === 'leave') deps.suspects.onFound();
    health.works();
    deps.onClaimed(taken);
    const { moreLeft, runs, nextDueMs } = answer;
    return { records: taken, isFull: isFull({ moreLeft, runs: runs.length, heads, records: taken, limit }), nextDueMs };
  } catch (error) {
    health.failed('claim', error);
    // A statement that merely lost against another says nothing about the connection.
    if (classifyStoreError(error) === 'unavailable') session.lose();
    return null;
  }
}

/** Takes claimed runs in; those that come too late to be handed out go back at once. */
export function take(
  { runs }: Pick<ClaimAnswer, 'runs'>,
  session: Session,
  safeUntil: number,
  deps: ClaimLoopDeps,
): number {
  const held = runs.map((run) => new HeldRun(run, session.owner, safeUntil));
  deps.held.add(held);
  if (isOver(session, deps)) for (const run of held) session.settler.finish(run, RELEASE);
  else deps.buffer.put(held);
  return runs.reduce((sum, run) => sum + run.records.length, 0);
}

/** The workers are stuck, so what waits for them would be stuck too; another dispatcher may be free. */
function giveBack(session: Session, { buffer }: ClaimLoopDeps): void {
  for (const run of buffer.takeBack(session.owner)) session.settler.finish(run, RELEASE);
}

export function isOver(session: Session, { stopping }: ClaimLoopDeps): boolean {
  return session.isLost || stopping.aborted;
}

import { type DrainMode, type Executor, enterBatch, enterPull, leaveDrain } from '@waybill/store';
import { type ClaimLoopDeps, claimUntilOver, isOver } from './claim-loop.ts';
import type { LoopLogger } from './loop-logger.ts';
import type { Session } from './session.ts';

/** Decides how records are handed out now. `skips`: types that are not asked for in that mode. Asked again every minute. */
export type ChooseDrainMode = () => Promise<{ readonly mode: DrainMode; readonly skips: readonly string[] }>;

export interface DrainModeDeps extends ClaimLoopDeps {
  readonly chooseMode: ChooseDrainMode;
  /** The heartbeat's connection: whoever cannot renew must not drain. */
  readonly executor: Executor;
  readonly logger: LoopLogger;
}

const KEYLESS =
  'records without a record key: one batch drainer keeps their order in memory, until the tables are migrated and the keys are written';

/** A gate changes by what people do; a minute is soon enough, and costs the store nothing. */
const CHOOSE_EVERY_MS = 60_000;

/**
 * Drains the store in the mode that is right, as soon as nobody drains it in the other one, and changes the mode when that changes: first all that
 * is in hand ends, then the place is left. Never throws.
 */
export async function drainUntilOver(session: Session, deps: DrainModeDeps): Promise<void> {
  const { clock, settings, stopping, health } = deps;
  while (!isOver(session, deps)) {
    deps.onRound();
    try {
      const chosen = await enterChosen(session, deps);
      if (chosen === null) {
        await clock.sleep(settings.lease.renewEveryMs, stopping);
        continue;
      }
      const watch = new ModeWatch(session, chosen, deps);
      await claimUntilOver(session, deps, () => session.isOutdated || watch.hasChanged());
      if (isOver(session, deps)) return;
      if (!(await ended(session, deps))) return;
      session.drainMode = null;
      await session.giveBack(deps.executor);
      await leaveDrain(deps.executor, deps.store, session.owner);
      if (session.isOutdated) session.lose();
    } catch (error) {
      health.failed('drain-mode', error);
      session.lose();
      // The next session would meet the same, at once.
      await clock.sleep(health.restMs(), stopping);
    }
  }
}

/** Waits for what is in hand, as a living loop, however long a handler takes. Gives whether all of it has ended; not so when the session is over before. */
async function ended(session: Session, deps: DrainModeDeps): Promise<boolean> {
  while (deps.held.size > 0 && !isOver(session, deps)) {
    deps.onRound();
    await deps.demand.wait(deps.clock, deps.settings.polling.idleMs);
  }
  return !isOver(session, deps);
}

/** Gives the mode that was entered; null when somebody is still there in the other one. */
async function enterChosen(session: Session, deps: DrainModeDeps): Promise<DrainMode | null> {
  const { store, executor, settings, destinations, logger } = deps;
  const { mode, skips } = await chooseMode(session, deps);
  const { owner } = session;
  const { leaseMs } = settings.lease;
  const entry =
    mode === 'pull' ? await enterPull(executor, store, owner) : await enterBatch(executor, store, { owner, leaseMs });
  deps.health.answered();
  if (entry !== 'entered') {
    // Whoever waits claims nothing that could show it; of who does not, only a claim shows that the store works.
    deps.health.works();
    logger.info({ wanted: mode, found: entry }, 'waiting until the store is drained in one way only');
    return null;
  }
  session.drainMode = mode;
  destinations.skip(skips);
  logger.info({ mode, skips, keyless: session.isKeyless }, 'draining begins');
  if (session.isKeyless) logger.warn({}, KEYLESS);
  return mode;
}

/** Where order is kept in memory there can be one drainer only, whatever a gate says; it is asked all the same, since people look at its items. */
async function chooseMode(session: Session, deps: DrainModeDeps): ReturnType<ChooseDrainMode> {
  const chosen = await deps.chooseMode();
  return session.isKeyless ? { mode: 'batch', skips: [] } : chosen;
}

/** Asks now and then whether the mode is still the right one, beside the claims. */
class ModeWatch {
  readonly #session: Session;
  readonly #mode: DrainMode;
  readonly #deps: DrainModeDeps;
  #askAt: number;
  #changed = false;

  constructor(session: Session, mode: DrainMode, deps: DrainModeDeps) {
    this.#session = session;
    this.#mode = mode;
    this.#deps = deps;
    this.#askAt = deps.clock.now() + CHOOSE_EVERY_MS;
  }

  hasChanged(): boolean {
    if (this.#deps.clock.now() >= this.#askAt) {
      this.#askAt = this.#deps.clock.now() + CHOOSE_EVERY_MS;
      void this.#ask();
    }
    return this.#changed;
  }

  async #ask(): Promise<void> {
    try {
      const { mode, skips } = await chooseMode(this.#session, this.#deps);
      this.#deps.destinations.skip(skips);
      if (mode === this.#mode) return;
      this.#changed = true;
      this.#deps.demand.notify();
    } catch (error) {
      this.#deps.health.failed('drain-mode', error);
    }
  }
}

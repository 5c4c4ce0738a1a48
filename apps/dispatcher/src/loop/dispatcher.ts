import { drainDispatcher, type Executor, leaveDispatcher, leaveDrain, type Store } from '@waybill/store';
import type { HealthFacts } from '../health/verdict.ts';
import { RouteError } from '../routes/route-error.ts';
import { routeProblems } from '../routes/route-problems.ts';
import { type DrainCause, type DrainReport, drain } from './drain.ts';
import { drainUntilOver } from './drain-modes.ts';
import { heartbeat } from './heartbeat.ts';
import { listenUntil } from './hints.ts';
import { watchLeases } from './lease-watch.ts';
import { LoopParts } from './loop-parts.ts';
import type { DispatcherDeps, DispatcherState, RunningDispatcher, Workload } from './running-dispatcher.ts';
import { openSession, type Session } from './session.ts';
import { claimSuspectsUntilOver } from './suspects.ts';
import { work } from './worker.ts';

/**
 * Starts the loop: claims what this build can read, delivers it, and settles it, until it is drained or aborted.
 * The store need not be there yet; the loop waits for it.
 *
 * @throws RouteError when routes and readers do not fit together. Nothing is started then.
 */
export function startDispatcher(deps: DispatcherDeps): RunningDispatcher {
  const problems = routeProblems(deps.routes, deps.readers);
  if (problems.length > 0) throw new RouteError(problems);
  return new Dispatcher(deps);
}

/** When the parts begin and end. The phases follow one another and never go back. */
class Dispatcher implements RunningDispatcher {
  readonly done: Promise<void>;
  readonly #deps: DispatcherDeps;
  readonly #parts: LoopParts;
  /** The main loop and the workers. They end once nothing is claimed any more and what is in hand has ended. */
  readonly #underWay: readonly Promise<void>[];
  /** Fires when this process must look dead before it is. */
  readonly #silent = new AbortController();
  #phase: 'starting' | 'claiming' | 'draining' | 'stopped' = 'starting';
  #roundAt: number;
  #draining: Promise<DrainReport> | null = null;
  #resolveDone: () => void = () => {};

  constructor(deps: DispatcherDeps) {
    const parts = new LoopParts(deps);
    const workers = Array.from({ length: deps.settings.workers.concurrency }, () => work(parts.forWorker()));
    this.#deps = deps;
    this.#parts = parts;
    this.#roundAt = deps.clock.now();
    this.done = new Promise((resolve) => {
      this.#resolveDone = resolve;
    });
    this.#underWay = [this.#lead(), ...workers];
    void heartbeat(
      parts.forHeartbeat(() => this.#drainWhenAsked()),
      AbortSignal.any([parts.ended.signal, this.#silent.signal]),
    );
    void watchLeases(parts.forLeaseWatch(), parts.ended.signal);
    if (deps.openHints !== undefined) void listenUntil(parts.forHints(deps.openHints), parts.stopping.signal);
  }

  get stopping(): AbortSignal {
    return this.#parts.stopping.signal;
  }

  state(): DispatcherState {
    if (this.#phase !== 'claiming') return this.#phase;
    return this.#parts.health.isUp ? 'running' : 'degraded';
  }

  workload(): Workload {
    const { sessions, buffer, held, health } = this.#parts;
    return {
      owner: sessions.current?.owner ?? null,
      bufferedRecords: buffer.records,
      heldRuns: held.size,
      idleWorkers: buffer.idle,
      storeUp: health.isUp,
    };
  }

  health(): HealthFacts {
    const now = this.#deps.clock.now();
    const { answeredAt, schema } = this.#parts.health;
    return {
      loopAgeMs: now - this.#roundAt,
      storeAgeMs: answeredAt === null ? undefined : now - answeredAt,
      schema,
      registered: this.#parts.sessions.current !== null,
      draining: this.#phase === 'draining' || this.#phase === 'stopped',
    };
  }

  drain(cause: DrainCause = 'asked'): Promise<DrainReport> {
    this.#draining ??= this.#drain(cause);
    return this.#draining;
  }

  abort(): void {
    this.#stop();
    this.#parts.held.stopAll('the program ends at once');
    this.#end();
  }

  #drainWhenAsked(): void {
    if (this.#draining !== null) return;
    this.#parts.logger.info({}, 'draining: an operator has asked for it');
    void this.drain();
  }

  /** Opens one session after the other and claims under it. */
  async #lead(): Promise<void> {
    const { health, sessions, stopping, logger } = this.#parts;
    const claims = this.#parts.forClaims(() => this.#goRound());
    while (!stopping.signal.aborted) {
      this.#goRound();
      try {
        const session = await openSession(this.#parts.forSession());
        sessions.add(session);
        if (this.#phase === 'starting') this.#phase = 'claiming';
        logger.info({ owner: session.owner, contracts: session.contracts.size }, 'entered in the store');
        const { suspects } = this.#deps;
        if (suspects.role === 'leave') await drainUntilOver(session, this.#parts.forDrain(claims));
        else await claimSuspectsUntilOver(session, claims, suspects.onNone);
      } catch (error) {
        health.failed('enter', error);
        await this.#deps.clock.sleep(health.restMs(), stopping.signal);
      }
    }
  }

  #goRound(): void {
    this.#roundAt = this.#deps.clock.now();
  }

  async #drain(cause: DrainCause): Promise<DrainReport> {
    if (this.#phase !== 'stopped') this.#phase = 'draining';
    const { settings, clock } = this.#deps;
    const { held, ended, logger } = this.#parts;
    const report = await drain(
      {
        finish: () => this.#finish(),
        stop: () => {
          held.stopAll('the time to drain is over');
          // What is in hand has to be found out: by its lease, which nobody renews any more, with an owner that is silent for as long.
          if (cause === 'fault') this.#silent.abort();
        },
        giveBack: () => this.#giveBack(cause),
        settled: () => (cause === 'fault' ? this.#parts.settled() : held.whenEmpty()),
        unsettled: () => held.size,
        leave: () => this.#leave(cause),
      },
      { drainMs: settings.shutdown.drainMs, clock, abandoned: ended.signal },
    );
    logger.info({ ...report }, 'drained');
    this.#end();
    return report;
  }

  #stop(): void {
    this.#parts.stopping.abort();
    this.#parts.demand.notify();
    this.#parts.release(this.#parts.buffer.close());
  }

  async #finish(): Promise<void> {
    this.#stop();
    const { store, heartbeatDatabase } = this.#deps;
    for (const { owner } of this.#parts.sessions.all()) {
      this.#parts.tell('drain', drainDispatcher(store, owner, heartbeatDatabase));
    }
    await Promise.all(this.#underWay);
  }

  #giveBack(cause: DrainCause): number {
    const unfinished = this.#parts.held.all().filter((run) => !run.isFinished);
    this.#parts.release(cause === 'fault' ? unfinished.filter(({ inHand }) => inHand.length === 0) : unfinished);
    return unfinished.length;
  }

  async #leave(cause: DrainCause): Promise<void> {
    const { store, heartbeatDatabase, routes } = this.#deps;
    const transports = new Set(routes.flatMap((route) => (route.via === 'publish' ? [route.to] : [])));
    const endings = await Promise.allSettled([
      ...this.#parts.sessions
        .all()
        .flatMap((session) => (session.drainMode === 'batch' ? [leaveBatch(session, store, heartbeatDatabase)] : [])),
      ...(cause === 'fault' && this.#parts.held.size > 0 ? [] : this.#parts.sessions.all()).map(({ owner }) =>
        leaveDispatcher(store, owner, heartbeatDatabase),
      ),
      ...[...transports].map((transport) => transport.close()),
    ]);
    for (const ending of endings) {
      if (ending.status === 'rejected') this.#parts.health.failed('leave', ending.reason);
    }
  }

  #end(): void {
    this.#phase = 'stopped';
    this.#parts.ended.abort();
    this.#resolveDone();
  }
}

async function leaveBatch(session: Session, store: Store, executor: Executor): Promise<void> {
  await session.giveBack(executor);
  await leaveDrain(executor, store, session.owner);
}

import type { Unreadable } from '@waybill/contracts';
import { type Contract, drainDispatcher, leaveDispatcher, type TypedRecord } from '@waybill/store';
import type { AttemptDeps, AttemptEnd } from '../attempt/attempt.ts';
import { UnreadablePairs } from '../attempt/unreadable-pairs.ts';
import type { HealthFacts } from '../health/verdict.ts';
import { RouteError } from '../routes/route-error.ts';
import { routeProblems } from '../routes/route-problems.ts';
import { logAttempt, logBug, logGivenUp } from './attempt-log.ts';
import { type ClaimLoopDeps, claimUntilOver } from './claim-loop.ts';
import { type DrainReport, drain } from './drain.ts';
import { guardedRandom } from './guarded-random.ts';
import { heartbeat } from './heartbeat.ts';
import { type HeldRun, RELEASE } from './held-run.ts';
import { HeldRuns } from './held-runs.ts';
import { IncidentLog } from './incident-log.ts';
import { watchLeases } from './lease-watch.ts';
import { type LoopLogger, loopLogger } from './loop-logger.ts';
import { Pace } from './pace.ts';
import { RunBuffer } from './run-buffer.ts';
import type { DispatcherDeps, DispatcherState, RunningDispatcher } from './running-dispatcher.ts';
import { openSession, type Session, type SessionDeps } from './session.ts';
import { Sessions } from './sessions.ts';
import { StoreHealth } from './store-health.ts';
import { Wakeup } from './wakeup.ts';
import { type WorkerDeps, work } from './worker.ts';

/** The share of the lease in which nothing may be under way any more: room for what ends late and for clocks that do not run alike. */
const MARGIN_SHARE = 0.2;

/**
 * Starts the loop: claims what this build can read, delivers it, and settles it, until it is drained or aborted.
 * The store need not be there yet; the loop waits for it.
 *
 * @throws RouteError when routes and readers do not fit together. Nothing is started then.
 */
export function startDispatcher(deps: DispatcherDeps): RunningDispatcher {
  const problems = routeProblems(deps.routes, deps.readers);
  if (problems.length > 0) throw new RouteError(problems);
  const dispatcher = new Dispatcher(deps);
  dispatcher.start();
  return dispatcher;
}

class Dispatcher implements RunningDispatcher {
  readonly done: Promise<void>;
  readonly #deps: DispatcherDeps;
  readonly #logger: LoopLogger;
  readonly #random: () => number;
  readonly #marginMs: number;
  readonly #health: StoreHealth;
  readonly #refusals: IncidentLog;
  readonly #held = new HeldRuns();
  readonly #demand = new Wakeup();
  readonly #buffer = new RunBuffer(() => this.#demand.notify());
  readonly #sessions = new Sessions(this.#held, (session) => this.#leave(session));
  readonly #unreadable = new UnreadablePairs();
  readonly #pace: Pace;
  /** Nothing further is claimed or started. */
  readonly #stopping = new AbortController();
  /** Nothing at all happens any more. */
  readonly #ended = new AbortController();
  #parts: readonly Promise<void>[] = [];
  #phase: 'starting' | 'claiming' | 'draining' | 'stopped' = 'starting';
  #roundAt: number;
  #draining: Promise<DrainReport> | null = null;
  #resolveDone: () => void = () => {};

  constructor(deps: DispatcherDeps) {
    const { workers, lease } = deps.settings;
    this.#deps = deps;
    this.#logger = loopLogger(deps.logger);
    this.#random = guardedRandom(deps.random);
    this.#marginMs = lease.leaseMs * MARGIN_SHARE;
    this.#health = new StoreHealth(this.#logger, deps.clock, this.#random);
    this.#refusals = new IncidentLog(
      'the store refuses a settlement; its record will be delivered again',
      this.#logger,
      deps.clock,
    );
    this.#pace = new Pace(workers.concurrency, lease.leaseMs);
    this.#roundAt = deps.clock.now();
    this.done = new Promise((resolve) => {
      this.#resolveDone = resolve;
    });
  }

  start(): void {
    const { settings, clock } = this.#deps;
    const { signal } = this.#ended;
    const workers = Array.from({ length: settings.workers.concurrency }, () => work(this.#workerDeps()));
    this.#parts = [this.#lead(), ...workers];
    void heartbeat(this.#heartbeatDeps(), signal);
    void watchLeases(this.#held, settings.lease.leaseMs, clock, (runs) => this.#logStopped(runs), signal);
  }

  state(): DispatcherState {
    if (this.#phase !== 'claiming') return this.#phase;
    return this.#health.isUp ? 'running' : 'degraded';
  }

  health(): HealthFacts {
    const now = this.#deps.clock.now();
    const { answeredAt, schema } = this.#health;
    return {
      loopAgeMs: now - this.#roundAt,
      storeAgeMs: answeredAt === null ? undefined : now - answeredAt,
      schema,
      registered: this.#sessions.current !== null,
      draining: this.#phase === 'draining' || this.#phase === 'stopped',
    };
  }

  drain(): Promise<DrainReport> {
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  abort(): void {
    this.#stop();
    this.#held.stopAll('the program ends at once');
    this.#end();
  }

  async #drain(): Promise<DrainReport> {
    if (this.#phase !== 'stopped') this.#phase = 'draining';
    const { settings, clock } = this.#deps;
    const report = await drain(
      {
        finish: () => this.#finish(),
        stop: () => this.#held.stopAll('the time to drain is over'),
        giveBack: () => this.#giveBack(),
        settled: () => this.#held.whenEmpty(),
        unsettled: () => this.#held.size,
        leave: () => this.#leaveAll(),
      },
      settings.shutdown.drainMs,
      clock,
      this.#ended.signal,
    );
    this.#logger.info({ ...report }, 'drained');
    this.#end();
    return report;
  }

  #stop(): void {
    this.#stopping.abort();
    this.#demand.notify();
    for (const run of this.#buffer.close()) this.#sessions.settlerOf(run).finish(run, RELEASE);
  }

  async #finish(): Promise<void> {
    this.#stop();
    for (const { owner } of this.#sessions.all())
      this.#tell('drain', drainDispatcher(this.#deps.store, owner, this.#deps.heartbeatDatabase));
    await Promise.all(this.#parts);
  }

  #giveBack(): number {
    const inHand = this.#held.all().filter((run) => !run.isFinished);
    for (const run of inHand) this.#sessions.settlerOf(run).finish(run, RELEASE);
    return inHand.length;
  }

  async #leaveAll(): Promise<void> {
    const owners = this.#sessions.all().map(({ owner }) => owner);
    const transports = new Set(this.#deps.routes.flatMap((route) => (route.via === 'publish' ? [route.to] : [])));
    const { store, heartbeatDatabase } = this.#deps;
    const endings = await Promise.allSettled([
      ...owners.map((owner) => leaveDispatcher(store, owner, heartbeatDatabase)),
      ...[...transports].map((transport) => transport.close()),
    ]);
    for (const ending of endings) {
      if (ending.status === 'rejected') this.#health.failed('leave', ending.reason);
    }
  }

  #end(): void {
    this.#phase = 'stopped';
    this.#ended.abort();
    this.#resolveDone();
  }

  /** Opens one session after the other and claims under it. */
  async #lead(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#roundAt = this.#deps.clock.now();
      try {
        const session = await openSession(this.#sessionDeps());
        this.#sessions.add(session);
        if (this.#phase === 'starting') this.#phase = 'claiming';
        this.#logger.info({ owner: session.owner, contracts: session.contracts.size }, 'entered in the store');
        await claimUntilOver(session, this.#claimDeps());
      } catch (error) {
        this.#health.failed('enter', error);
        await this.#deps.clock.sleep(this.#health.restMs(), this.#stopping.signal);
      }
    }
  }

  /** What nobody has begun goes back; what is in hand goes on under its old lease. */
  #abandon(session: Session): void {
    for (const run of this.#buffer.takeBack(session.owner)) session.settler.finish(run, RELEASE);
    this.#demand.notify();
    this.#sessions.prune();
  }

  #leave({ owner }: Session): void {
    this.#tell('leave', leaveDispatcher(this.#deps.store, owner, this.#deps.heartbeatDatabase));
  }

  /** Tells the store something that matters only a little; a failure is noted and nothing else. */
  #tell(operation: string, telling: Promise<void>): void {
    telling.catch((error: unknown) => this.#health.failed(operation, error));
  }

  #onEnded(run: HeldRun): void {
    this.#held.remove(run);
    this.#sessions.prune();
  }

  #onUnreadable(record: TypedRecord, why: Unreadable): void {
    if (this.#unreadable.note(record)) logGivenUp(this.#logger, record, why);
  }

  #onAttempt(record: TypedRecord, end: AttemptEnd, durationMs: number): void {
    if (end.outcome.outcome === 'store-unavailable') this.#health.failed('attempt', end.outcome.detail);
    logAttempt(this.#logger, record, end, durationMs);
  }

  #logStopped(runs: readonly HeldRun[]): void {
    this.#logger.warn(
      { runs: runs.length, heads: runs.slice(0, 10).map(({ head }) => head) },
      'leases could not be renewed in time; their work was told to stop',
    );
  }

  #sessionDeps(): SessionDeps {
    const { store, build, settings, newOwnerId, clock } = this.#deps;
    return {
      store,
      build,
      contracts: this.#contracts(),
      leaseMs: settings.lease.leaseMs,
      newOwnerId,
      clock,
      onLost: (session) => this.#abandon(session),
      onSchema: (status) => this.#health.sawSchema(status),
      settler: {
        onEnded: (run) => this.#onEnded(run),
        onWritten: () => this.#demand.notify(),
        onOutage: (operation, cause) => this.#health.failed(operation, cause),
        refusals: this.#refusals,
        clock,
        random: this.#random,
        signal: this.#ended.signal,
      },
    };
  }

  /** What this build reads. Every type of it has a route, or the loop would not have started. */
  #contracts(): readonly Contract[] {
    const { readers } = this.#deps;
    return readers.capabilities.flatMap(({ type, version }) => {
      const message = readers.message(type);
      return message === undefined ? [] : [{ type, version, kind: message.kind }];
    });
  }

  #claimDeps(): ClaimLoopDeps {
    return {
      ...this.#shared(),
      store: this.#deps.store,
      unreadable: this.#unreadable,
      settings: this.#deps.settings,
      demand: this.#demand,
      onRound: () => {
        this.#roundAt = this.#deps.clock.now();
      },
    };
  }

  #heartbeatDeps(): Parameters<typeof heartbeat>[0] {
    const { store, heartbeatDatabase, settings } = this.#deps;
    return { ...this.#shared(), store, executor: heartbeatDatabase, sessions: this.#sessions, lease: settings.lease };
  }

  #workerDeps(): WorkerDeps {
    return {
      ...this.#shared(),
      attempt: this.#attemptDeps(),
      settlerOf: (run) => this.#sessions.settlerOf(run),
      onSettled: (run, isOver) => {
        if (isOver) this.#onEnded(run);
        this.#demand.notify();
      },
      onAttempt: (record, end, durationMs) => this.#onAttempt(record, end, durationMs),
      onBug: (record, error) => logBug(this.#logger, record, error),
    };
  }

  #attemptDeps(): AttemptDeps {
    const { store, database, readers, routes, settings } = this.#deps;
    return {
      ...this.#shared(),
      store,
      database,
      readers,
      routes: new Map(routes.map((route) => [route.message.type, route])),
      policy: settings.retry,
      quiet: (run) => this.#sessions.settlerOf(run).quiet(run),
      onUnreadable: (record, why) => this.#onUnreadable(record, why),
    };
  }

  #shared() {
    return {
      buffer: this.#buffer,
      held: this.#held,
      pace: this.#pace,
      health: this.#health,
      marginMs: this.#marginMs,
      stopping: this.#stopping.signal,
      clock: this.#deps.clock,
      random: this.#random,
    } as const;
  }
}

import type { TypedRecord } from '@waybill/store';
import type { AttemptDeps } from '../attempt/attempt.ts';
import type { AttemptEnd } from '../attempt/end.ts';
import { UnreadablePairs } from '../attempt/unreadable-pairs.ts';
import { destinationOf } from '../flow/destination.ts';
import { Destinations } from '../flow/destinations.ts';
import { handedOver } from '../routes/handed-over.ts';
import { manifestOf } from '../routes/manifest.ts';
import { logAttempt, logBug, logCrashLoop, logStopped } from './attempt-log.ts';
import { ByteBudget } from './byte-budget.ts';
import type { ClaimLoopDeps } from './claim-loop.ts';
import { contractsRead } from './contracts-read.ts';
import type { DrainModeDeps } from './drain-modes.ts';
import { guardedRandom } from './guarded-random.ts';
import { HeadBudget } from './head-budget.ts';
import type { HeartbeatDeps } from './heartbeat.ts';
import { type HeldRun, RELEASE } from './held-run.ts';
import { HeldRuns } from './held-runs.ts';
import { type HintRequestDeps, HintRequests } from './hint-requests.ts';
import type { HintDeps, OpenHints } from './hints.ts';
import { IncidentLog } from './incident-log.ts';
import type { LeaseWatchDeps } from './lease-watch.ts';
import { type LoopLogger, loopLogger } from './loop-logger.ts';
import { type LoopObserver, NO_OBSERVER, untraced } from './observer.ts';
import { Pace } from './pace.ts';
import { RunBuffer } from './run-buffer.ts';
import type { DispatcherDeps } from './running-dispatcher.ts';
import type { Session, SessionDeps } from './session.ts';
import { Sessions } from './sessions.ts';
import type { SettlerDeps } from './settler.ts';
import { signOff } from './sign-off.ts';
import { StoreHealth } from './store-health.ts';
import { reportUnreadable } from './unreadable-report.ts';
import { Wakeup } from './wakeup.ts';
import type { WorkerDeps } from './worker.ts';

/** The share of the lease in which nothing may be under way any more: room for what ends late and for clocks that do not run alike. */
const MARGIN_SHARE = 0.2;

/** The parts of one loop, and who of them knows whom. What they do is in their own files; when they begin and end is the dispatcher's. */
export class LoopParts {
  readonly logger: LoopLogger;
  readonly health: StoreHealth;
  readonly held: HeldRuns = new HeldRuns();
  /** News for the claim loop. */
  readonly demand: Wakeup = new Wakeup();
  readonly buffer: RunBuffer;
  readonly sessions: Sessions;
  /** Fires when nothing further is claimed or started. */
  readonly stopping: AbortController = new AbortController();
  /** Fires when nothing at all happens any more. */
  readonly ended: AbortController = new AbortController();
  readonly #deps: DispatcherDeps;
  readonly #observer: LoopObserver;
  readonly #random: () => number;
  readonly #refusals: IncidentLog;
  readonly #unreadable = new UnreadablePairs();
  readonly #pace: Pace;
  readonly #hints: HintRequests;
  readonly #destinations: Destinations;

  constructor(deps: DispatcherDeps) {
    const { settings, clock, store, heartbeatDatabase: executor } = deps;
    this.#deps = deps;
    this.#observer = deps.observer ?? NO_OBSERVER;
    this.#random = guardedRandom(deps.random);
    this.logger = loopLogger(deps.logger);
    this.health = new StoreHealth(this.logger, { clock, random: this.#random, observer: this.#observer });
    // A loop that woke up for each record would cost more than the record.
    this.buffer = new RunBuffer(() => {
      if (this.#hasRoom()) this.demand.notify();
    });
    this.sessions = new Sessions(this.held, ({ owner }) => this.tell('leave', signOff(store, owner, executor)));
    this.#refusals = new IncidentLog(
      'the store refuses a settlement; its record will be delivered again',
      this.logger,
      clock,
    );
    this.#destinations = new Destinations({
      routes: deps.routes,
      limits: deps.limits,
      leaseMs: settings.lease.leaseMs,
      held: this.held,
      clock,
      random: this.#random,
      logger: this.logger,
    });
    this.#hints = new HintRequests({ ...this.#telling(), sessions: this.sessions });
    this.#pace = new Pace(settings.workers.concurrency, settings.lease.leaseMs);
  }

  /** Gives runs back that nobody works on. */
  release(runs: readonly HeldRun[]): void {
    for (const run of runs) this.sessions.settlerOf(run).finish(run, RELEASE);
  }

  /** Ends when all that can be written down is. */
  async settled(): Promise<void> {
    await Promise.all(this.sessions.all().map(({ settler }) => settler.idle()));
  }

  /** Tells the store something that matters only a little; a failure is noted and nothing else. */
  tell(operation: string, telling: Promise<void>): void {
    telling.catch((error: unknown) => this.health.failed(operation, error));
  }

  forSession(): SessionDeps {
    const { store, heartbeatDatabase, build, readers, routes, settings, newOwnerId, clock } = this.#deps;
    const { writers } = manifestOf(build, readers, routes);
    return {
      about: {
        routing: Object.fromEntries(routes.map((route) => [route.message.type, destinationOf(route)])),
        handsOver: handedOver(routes),
        writers,
      },
      store,
      heartbeat: heartbeatDatabase,
      build,
      readers,
      contracts: contractsRead(readers),
      readable: (contractIds) => this.#unreadable.readable(contractIds),
      lease: settings.lease,
      retry: settings.retry,
      newOwnerId,
      clock,
      onLost: (session) => this.#abandon(session),
      health: this.health,
      settler: this.#forSettler(),
    };
  }

  forClaims(onRound: () => void): ClaimLoopDeps {
    const { store, settings, suspects } = this.#deps;
    return {
      ...this.#shared(),
      store,
      settings,
      suspects,
      unreadable: this.#unreadable,
      headBudget: new HeadBudget(),
      byteBudget: new ByteBudget(),
      demand: this.demand,
      onRound,
      onClaimed: (records) => {
        this.#observer.claimed(records);
        this.#hints.claimed(records, this.#deps.clock.now());
      },
      isHinted: () => this.#hints.arrive,
    };
  }

  forDrain(claims: ClaimLoopDeps): DrainModeDeps {
    const { chooseMode, heartbeatDatabase } = this.#deps;
    return { ...claims, chooseMode, executor: heartbeatDatabase, logger: this.logger };
  }

  forHeartbeat(onDrainAsked: () => void): HeartbeatDeps {
    const { store, heartbeatDatabase, settings } = this.#deps;
    return {
      ...this.#shared(),
      store,
      executor: heartbeatDatabase,
      sessions: this.sessions,
      lease: settings.lease,
      onDrainAsked,
    };
  }

  forLeaseWatch(): LeaseWatchDeps {
    const { settings, clock } = this.#deps;
    return {
      held: this.held,
      leaseMs: settings.lease.leaseMs,
      clock,
      onStopped: (runs) => logStopped(this.logger, runs),
    };
  }

  forHints(open: OpenHints): HintDeps {
    const { clock } = this.#deps;
    return {
      open,
      onHint: () => this.demand.notify(),
      onHearing: (hears) => this.#hints.hears(hears),
      logger: this.logger,
      clock,
      random: this.#random,
    };
  }

  forWorker(): WorkerDeps {
    return {
      ...this.#shared(),
      attempt: this.#forAttempts(),
      trace: this.#deps.trace ?? untraced,
      settlerOf: (run) => this.sessions.settlerOf(run),
      onSettled: (run, isOver) => {
        if (isOver) this.#onEnded(run);
        this.demand.notify();
      },
      onAttempt: (record, end, durationMs) => this.#onAttempt(record, end, durationMs),
      onCrashLoop: (record) => logCrashLoop(this.logger, record),
      onBug: (record, error) => logBug(this.logger, record, error),
    };
  }

  /** For what tells the store something beside the work. */
  #telling(): Pick<HintRequestDeps, 'store' | 'executor' | 'tell'> {
    const { store, heartbeatDatabase } = this.#deps;
    return { store, executor: heartbeatDatabase, tell: (operation, telling) => this.tell(operation, telling) };
  }

  #forAttempts(): AttemptDeps {
    const { store, database, readers, routes, build } = this.#deps;
    const unreadable = { ...this.#telling(), build, pairs: this.#unreadable, health: this.health, logger: this.logger };
    return {
      ...this.#shared(),
      store,
      database,
      readers,
      routes: new Map(routes.map((route) => [route.message.type, route])),
      policy: (run) => this.sessions.of(run).policy,
      settle: (connection, run, settlement) =>
        this.health.measure('settle', () => this.sessions.of(run).settle(connection, [settlement])),
      quiet: (run) => this.sessions.settlerOf(run).quiet(run),
      onRead: (record) => this.#unreadable.noteRead(record),
      onUnreadable: (record, run, why) => reportUnreadable(record, run, why, unreadable),
    };
  }

  #forSettler(): Omit<SettlerDeps, 'write'> {
    return {
      onEnded: (run) => this.#onEnded(run),
      onWritten: (results) => {
        this.#observer.settled(results);
        this.demand.notify();
      },
      onOutage: (operation, cause) => this.health.failed(operation, cause),
      refusals: this.#refusals,
      load: () => ({ held: this.held.size, hasBacklog: this.buffer.records > 0 }),
      clock: this.#deps.clock,
      random: this.#random,
      signal: this.ended.signal,
    };
  }

  #shared(): Pick<
    ClaimLoopDeps & HeartbeatDeps & WorkerDeps,
    'buffer' | 'held' | 'pace' | 'destinations' | 'health' | 'marginMs' | 'stopping' | 'clock' | 'random'
  > {
    return {
      buffer: this.buffer,
      held: this.held,
      pace: this.#pace,
      destinations: this.#destinations,
      health: this.health,
      marginMs: this.#deps.settings.lease.leaseMs * MARGIN_SHARE,
      stopping: this.stopping.signal,
      clock: this.#deps.clock,
      random: this.#random,
    };
  }

  #hasRoom(): boolean {
    return (
      this.#pace.claimLimit({ buffered: this.buffer.records, idle: this.buffer.idle, now: this.#deps.clock.now() }) > 0
    );
  }

  /** What nobody has begun goes back; what is in hand goes on under its old lease. */
  #abandon(session: Session): void {
    for (const run of this.buffer.takeBack(session.owner)) session.settler.finish(run, RELEASE);
    this.demand.notify();
    this.sessions.prune();
  }

  #onEnded(run: HeldRun): void {
    this.held.remove(run);
    this.sessions.prune();
  }

  #onAttempt(record: TypedRecord, end: AttemptEnd, durationMs: number): void {
    if (end.outcome.outcome === 'store-unavailable') this.health.failed('attempt', end.outcome.detail);
    this.#observer.attempted(record, end, durationMs);
    if (end.settled) this.#observer.settled([end.result]);
    // Most attempts go well, and few programs log those.
    if (end.outcome.outcome !== 'accepted' || this.#deps.logger.isLevelEnabled('debug'))
      logAttempt(this.logger, { record, end, durationMs });
  }
}

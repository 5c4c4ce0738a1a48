import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import type { Readers } from '@waybill/contracts';
import { openStore } from '@waybill/store';
import { listenForHints } from '@waybill/store/pg';
import type { Logger } from 'pino';
import type { ExitCode } from '../cli/exit-code.ts';
import type { LoadedDispatcher } from '../config/load.ts';
import { chooseModeBy } from '../gate/choose-mode.ts';
import { consumersOf } from '../gate/consumers.ts';
import { readEvidence } from '../gate/evidence.ts';
import { startHealthServer } from '../health/server.ts';
import { createLog } from '../log/log.ts';
import { systemClock } from '../loop/clock.ts';
import { startDispatcher } from '../loop/dispatcher.ts';
import type { RunningDispatcher } from '../loop/running-dispatcher.ts';
import type { Suspects } from '../loop/suspects.ts';
import { type Databases, openDatabases, workOptions } from './databases.ts';
import { probeTargets } from './probe-targets.ts';
import { Quarantine, type StartQuarantine } from './quarantine.ts';
import { createSignals, type Signals } from './signals.ts';
import { listenForStop, type ProcessEvents, type StopRequests } from './stop.ts';

export interface Runnable extends LoadedDispatcher {
  readonly readers: Readers;
}

/** The process that a dispatcher runs in. */
export interface Host {
  readonly events: ProcessEvents;
  /** Takes the log, one JSON document a line. */
  readonly log: Writable;
  /** Starts this program once more, for suspects alone. */
  readonly startQuarantine: StartQuarantine;
}

/** `dispatcher`: the ordinary one. `quarantine`: handles suspects, one after the other, and ends when there are none or its parent is gone. */
export type RunRole = 'dispatcher' | 'quarantine';

/** Runs a dispatcher until it is told to stop, and gives the exit code. The database need not be there yet. */
export async function runDispatcher(runnable: Runnable, host: Host, role: RunRole = 'dispatcher'): Promise<ExitCode> {
  const { settings } = runnable;
  const log = createLog({ level: settings.log.level, build: settings.build, destination: host.log });
  const stop = listenForStop(host.events, log);
  const databases = openDatabases(settings, (err) => {
    log.warn({ err }, 'an idle connection was lost; the next statement opens another one');
  });
  try {
    const store = openStore(databases.signals, { schema: settings.schema });
    const signals = createSignals({ settings, routes: runnable.routes, store, clock: systemClock });
    const quarantine = new Quarantine({ start: host.startQuarantine, log, clock: systemClock, ...settings.lease });
    const dispatcher = start(runnable, databases, { log, signals, suspects: suspectsOf(role, quarantine, stop) });
    whenAborted(dispatcher.stopping, () => void quarantine.stop());
    try {
      if (role === 'dispatcher') await serveUntilDone(runnable, dispatcher, { stop, log, signals });
      else await untilDone(dispatcher, stop);
    } finally {
      // Also when the probes could not be served: nothing may be left claimed.
      const { ms } = await dispatcher.drain();
      await closeWithin(Math.max(0, settings.shutdown.drainMs + QUARANTINE_MS - ms), quarantine.stop(), stop.abort);
    }
  } finally {
    const closing = databases.close().catch((err: unknown) => {
      log.warn({ err }, 'the connections could not be closed in good order');
    });
    await closeWithin(CLOSE_MS, closing, stop.abort);
    stop.close();
  }
  log.info({ exitCode: stop.exitCode() }, 'stopped');
  return stop.exitCode();
}

// A connection that is lent to a handler which ignores its signal would be waited for without end.
const CLOSE_MS = 1_000;
// It drains at the same time as this process and for as long: where it were killed with its suspect in hand, that would count as one more crash. What it
// needs after that to stop, settle and sign off is seldom more; after this process's own longest drain nothing is left to wait.
const QUARANTINE_MS = 3_000;

function suspectsOf(role: RunRole, quarantine: Quarantine, stop: StopRequests): Suspects {
  return role === 'dispatcher'
    ? { role: 'leave', onFound: () => quarantine.ensure() }
    : { role: 'handle', onNone: () => stop.request('no suspects are left') };
}

function start(
  { settings, routes, readers, destinations }: Runnable,
  databases: Databases,
  { log, signals, suspects }: { readonly log: Logger; readonly signals: Signals; readonly suspects: Suspects },
): RunningDispatcher {
  const store = openStore(databases.work, { schema: settings.schema });
  return startDispatcher({
    build: settings.build,
    store,
    database: databases.handlers,
    heartbeatDatabase: databases.heartbeat,
    // What handles suspects finds them by asking.
    ...(settings.polling.hints === 'on' && suspects.role === 'leave'
      ? { openHints: (onHint) => listenForHints(store, workOptions(settings), onHint) }
      : {}),
    readers,
    routes,
    settings: suspects.role === 'leave' ? settings : { ...settings, workers: { concurrency: 1, runLength: 1 } },
    suspects,
    limits: destinations,
    chooseMode: chooseModeBy({
      flag: settings.pullWorker,
      store,
      evidence: readEvidence,
      consumers: consumersOf(routes),
      logger: log,
      onGate: signals.onGate,
    }),
    logger: log,
    clock: systemClock,
    random: Math.random,
    newOwnerId: randomUUID,
    observer: signals.observer,
    trace: signals.trace,
  });
}

async function serveUntilDone(
  { settings, routes, file }: Runnable,
  dispatcher: RunningDispatcher,
  { stop, log, signals }: { readonly stop: StopRequests; readonly log: Logger; readonly signals: Signals },
): Promise<void> {
  const { host, port, ...limits } = settings.health;
  const health = await startHealthServer({
    host,
    port,
    limits,
    facts: () => dispatcher.health(),
    metrics: signals.page,
  });
  const done = new AbortController();
  // Not waited for: a look that hangs ends with its connection.
  void signals.watch(dispatcher, done.signal);
  // Not waited for: a target that is slow to answer keeps nobody from starting.
  void probeTargets(routes, log, { leaseMs: settings.lease.leaseMs, signal: done.signal });
  log.info({ listening: health.url, file }, 'started');
  await untilDone(dispatcher, stop);
  done.abort();
  await health.close();
}

async function untilDone(dispatcher: RunningDispatcher, stop: StopRequests): Promise<void> {
  whenAborted(stop.drain, () => void dispatcher.drain(stop.cause()));
  whenAborted(stop.abort, () => dispatcher.abort());
  await dispatcher.done;
}

/** Runs the callback when the signal fires, or at once when it has fired already. */
function whenAborted(signal: AbortSignal, callback: () => void): void {
  if (signal.aborted) callback();
  else signal.addEventListener('abort', callback, { once: true });
}

/** Closes the pools, but waits no longer than it may, and not at all after an abort. */
async function closeWithin(ms: number, closing: Promise<void>, abandoned: AbortSignal): Promise<void> {
  const over = new AbortController();
  const closed = closing.finally(() => {
    over.abort();
  });
  await Promise.race([closed, systemClock.sleep(ms, AbortSignal.any([over.signal, abandoned]))]);
}

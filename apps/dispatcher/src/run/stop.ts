import type { Logger } from 'pino';
import { EXIT, type ExitCode } from '../cli/exit-code.ts';
import type { DrainCause } from '../loop/drain.ts';

/** The events of a process that concern its end; `process` is one. */
export interface ProcessEvents {
  /** False once the channel to the process that has started this one is closed; undefined where there never was one. */
  readonly connected?: boolean;
  on(event: string, listener: (argument: unknown) => void): unknown;
  off(event: string, listener: (argument: unknown) => void): unknown;
}

export interface StopRequests {
  /** Fires once: claim nothing more, finish what is in hand. */
  readonly drain: AbortSignal;
  /** Fires when somebody will not wait for the drain. */
  readonly abort: AbortSignal;
  /** Why it drains. */
  readonly cause: () => DrainCause;
  /** Asks for a drain from inside the process. */
  readonly request: (why: string) => void;
  /** What to exit with, by what was asked for so far. */
  readonly exitCode: () => ExitCode;
  /** Gives the process back its own ways. */
  readonly close: () => void;
}

type Log = Pick<Logger, 'error' | 'fatal' | 'info' | 'warn'>;

/**
 * Turns what happens to the process into requests to stop. The first SIGTERM or SIGINT drains, whether it drains already or not; the second aborts.
 * An uncaught exception leaves code of unknown state behind, so it drains and the exit code is 1. An unhandled rejection,
 * often a promise that a handler forgot, is only logged: it must not end the work of everybody else.
 */
export function listenForStop(events: ProcessEvents, log: Log): StopRequests {
  const drain = new AbortController();
  const abort = new AbortController();
  let exitCode: ExitCode = EXIT.ok;
  let cause: DrainCause = 'asked';
  let isSignalled = false;

  const request = (why: string): void => {
    if (drain.signal.aborted) return;
    log.info({ why }, 'draining');
    drain.abort();
  };
  const onSignal = (signal: unknown): void => {
    // A drain that an operator or the end of the parent began is not yet somebody who will not wait; after a fault nothing is worth waiting for.
    if (isSignalled || exitCode === EXIT.failed) {
      log.warn({ signal }, 'second signal: aborting what is in flight');
      exitCode = exitCode === EXIT.ok ? EXIT.interrupted : exitCode;
      abort.abort();
    } else {
      isSignalled = true;
      log.info({ signal }, 'draining');
      drain.abort();
    }
  };
  const onException = (err: unknown): void => {
    log.fatal({ err, code: 'DSP_UNCAUGHT_EXCEPTION' }, 'uncaught exception: draining, then exiting');
    exitCode = EXIT.failed;
    if (!drain.signal.aborted) cause = 'fault';
    drain.abort();
  };
  const onRejection = (err: unknown): void => {
    log.error({ err, code: 'DSP_UNHANDLED_REJECTION' }, 'a promise was rejected and nobody handled it');
  };

  const onDisconnect = (): void => request('the process that has started this one drains or is gone');

  const listeners = [
    ['SIGTERM', onSignal],
    ['SIGINT', onSignal],
    ['uncaughtException', onException],
    ['unhandledRejection', onRejection],
    // A process that was not started by another of ours never gets this one.
    ['disconnect', onDisconnect],
  ] as const;
  for (const [event, listener] of listeners) events.on(event, listener);
  // It may have gone while this process was starting, before anybody listened.
  if (events.connected === false) onDisconnect();
  return {
    drain: drain.signal,
    abort: abort.signal,
    cause: () => cause,
    request,
    exitCode: () => exitCode,
    close: () => {
      for (const [event, listener] of listeners) events.off(event, listener);
    },
  };
}

import type { Database } from '@waybill/store';
import { connectPg, type PgConnectOptions } from '@waybill/store/pg';
import type { PoolClient } from 'pg';
import type { Settings } from '../config/settings.ts';

export interface Databases {
  /** For claims and settlements. */
  readonly work: Database<PoolClient>;
  /** For the heartbeat alone: a renewal never queues behind work. */
  readonly heartbeat: Database<PoolClient>;
  /** For the transactions of in-database handlers, one connection for each worker: handlers cannot starve claims and settlements. */
  readonly handlers: Database<PoolClient>;
  /** For looks at the store: a slow one delays nothing else. */
  readonly signals: Database<PoolClient>;
  readonly close: () => Promise<void>;
}

// One renewal is under way at a time; the other connection is for the one that follows a renewal which hangs.
const HEARTBEAT_CONNECTIONS = 2;
// PostgreSQL cuts longer names off.
const APPLICATION_NAME_MAX_BYTES = 63;

/** Opens the pools; a pool that is not used opens no connection. Every wait on them is bounded, so a connection whose packets vanish hangs nothing for ever. */
export function openDatabases(settings: Settings, onIdleError: (error: Error) => void): Databases {
  const work = connectPg({ ...workOptions(settings), onIdleError });
  const heartbeat = connectPg({ ...heartbeatOptions(settings), onIdleError });
  const handlers = connectPg({ ...handlerOptions(settings), onIdleError });
  const signals = connectPg({ ...workOptions(settings), max: 1, onIdleError });
  return {
    work,
    heartbeat,
    handlers,
    signals,
    close: async () => {
      await Promise.all([work.close(), heartbeat.close(), handlers.close(), signals.close()]);
    },
  };
}

/** The limits of the pool for work, from the settings. Pure. */
export function workOptions({ build, database }: Settings): PgConnectOptions {
  return {
    url: database.url,
    max: database.poolSize,
    applicationName: applicationName(build),
    connectTimeoutMs: database.connectTimeoutMs,
    statementTimeoutMs: database.statementTimeoutMs,
  };
}

/** The same for the heartbeat: no wait outlasts the time to the next beat, so one that hangs does not cost the lease. Pure. */
export function heartbeatOptions(settings: Settings): PgConnectOptions {
  const { renewEveryMs } = settings.lease;
  const { connectTimeoutMs, statementTimeoutMs } = settings.database;
  return {
    ...workOptions(settings),
    max: HEARTBEAT_CONNECTIONS,
    connectTimeoutMs: Math.min(connectTimeoutMs, renewEveryMs),
    statementTimeoutMs: Math.min(statementTimeoutMs, renewEveryMs),
  };
}

/** The same for in-database handlers, whose statements may take longer than ours. Pure. */
export function handlerOptions(settings: Settings): PgConnectOptions {
  return {
    ...workOptions(settings),
    max: settings.workers.concurrency,
    statementTimeoutMs: settings.database.handlerStatementTimeoutMs,
  };
}

function applicationName(build: string): string {
  // A build name holds ASCII only, so characters are bytes.
  return `waybill/${build}`.slice(0, APPLICATION_NAME_MAX_BYTES);
}

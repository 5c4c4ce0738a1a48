import { DEFAULT_LOOP_SETTINGS as LOOP, type LoopSettings } from '../loop/settings.ts';
import type { PartialTree, PathOf, ValueAt } from './path.ts';
import type { NumberSetting, Setting, SettingFor, Unit } from './setting.ts';

/** Everything an operator can set, resolved: environment over file over default. Each member is described in {@link SETTINGS}. */
export interface Settings extends LoopSettings {
  readonly build: string;
  readonly schema: string;
  readonly pullWorker: PullWorker;
  readonly database: {
    readonly url: string;
    readonly poolSize: number;
    readonly connectTimeoutMs: number;
    readonly statementTimeoutMs: number;
    readonly handlerStatementTimeoutMs: number;
  };
  readonly health: {
    readonly host: string;
    readonly port: number;
    readonly stalledAfterMs: number;
    readonly staleAfterMs: number;
  };
  readonly polling: LoopSettings['polling'] & { readonly hints: Hinting };
  readonly shutdown: LoopSettings['shutdown'] & { readonly terminationMs: number };
  readonly metrics: { readonly token: string; readonly sampleEveryMs: number };
  readonly log: { readonly level: LogLevel };
}

/** The settings as a configuration file may give them: any part may be left out. */
export type SettingsInput = PartialTree<Settings>;

export const PULL_WORKER = ['auto', 'on', 'off'] as const;
/** Whether records are handed out by pull workers. */
export type PullWorker = (typeof PULL_WORKER)[number];

export const HINTING = ['on', 'off'] as const;
/** Whether producers tell an idle dispatcher of new messages. */
export type Hinting = (typeof HINTING)[number];

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type SettingPath = PathOf<Settings>;

// Node turns a longer delay into 1 ms, which is a busy loop where somebody asked for a long rest.
const MAX_TIMER_MS = 2 ** 31 - 1;
/** PostgreSQL cuts longer names silently, and two schemas could become one. */
export const SCHEMA_NAME_MAX_BYTES = 63;
const SECOND_MS = 1_000;
const DAY_MS = 86_400 * SECOND_MS;

/** The one table of settings. Its type makes a member of {@link Settings} without a row, or the reverse, a compile error. */
export const SETTINGS: { readonly [Path in SettingPath]: SettingFor<ValueAt<Settings, Path>> } = {
  build: {
    kind: 'text',
    env: 'WAYBILL_BUILD',
    pattern: /^[A-Za-z0-9][A-Za-z0-9@._+/-]{0,99}$/,
    shape: 'a build name such as orders-dispatcher@1.4.0 (letters, digits, @._+/-; at most 100)',
    default: '',
    description:
      'Names this build in the registry of dispatchers, in logs and in pg_stat_activity. Required by run and manifest.',
  },
  schema: {
    kind: 'text',
    env: 'WAYBILL_SCHEMA',
    // Any name that PostgreSQL can keep: the store quotes it. The rules count its bytes.
    pattern: /^[^\u0000]{1,63}$/u,
    shape: `a PostgreSQL schema name of 1 to ${SCHEMA_NAME_MAX_BYTES} bytes`,
    default: 'waybill',
    description: 'The schema that holds the outbox tables.',
  },
  pullWorker: {
    kind: 'choice',
    env: 'OUTBOX_PULL_WORKER',
    choices: PULL_WORKER,
    default: 'auto',
    description:
      'Pull workers (auto, on) run while `waybill gate pull-worker` is green, and one batch drainer else; on says so as a warning, off always means the batch drainer.',
  },
  'database.url': {
    kind: 'secret',
    env: 'WAYBILL_DATABASE_URL',
    fallbackEnv: 'DATABASE_URL',
    pattern: /^postgres(ql)?:\/\/\S+$/,
    shape: 'a postgres:// URL',
    default: '',
    description:
      'Where the outbox is. Required by every command that connects. It holds a password: prefer WAYBILL_DATABASE_URL_FILE.',
  },
  'database.poolSize': {
    ...count('connections', 1, 1_000),
    env: 'WAYBILL_DATABASE_POOL_SIZE',
    // Claims come one at a time and settlements are written together: more connections than this wait for each other.
    default: 4,
    description:
      'Connections for claims and settlements. The heartbeat has two of its own, and each worker one while an in-database handler runs.',
  },
  'database.connectTimeoutMs': {
    ...ms(100, 60 * SECOND_MS),
    env: 'WAYBILL_DATABASE_CONNECT_TIMEOUT_MS',
    default: 5 * SECOND_MS,
    description: 'How long opening a connection, or waiting for a free one, may take.',
  },
  'database.statementTimeoutMs': {
    ...ms(100, 600 * SECOND_MS),
    env: 'WAYBILL_DATABASE_STATEMENT_TIMEOUT_MS',
    default: 30 * SECOND_MS,
    description:
      'How long one of our own statements may take, at the server and on the wire; the connection is given up after that, so a half-open one hangs nothing.',
  },
  'database.handlerStatementTimeoutMs': {
    ...ms(100, DAY_MS),
    env: 'WAYBILL_DATABASE_HANDLER_STATEMENT_TIMEOUT_MS',
    // A handler may take its time; this only ends what hangs.
    default: 600 * SECOND_MS,
    description: 'The same for a statement of an in-database handler.',
  },
  'workers.concurrency': {
    ...count('workers', 1, 1_000),
    env: 'WAYBILL_WORKERS_CONCURRENCY',
    default: LOOP.workers.concurrency,
    description: 'How many runs are handled at the same time.',
  },
  'workers.runLength': {
    ...count('records', 1, 1_000),
    env: 'WAYBILL_WORKERS_RUN_LENGTH',
    default: LOOP.workers.runLength,
    description: 'How many records of one record key are claimed together at most.',
  },
  'lease.leaseMs': {
    ...ms(SECOND_MS, DAY_MS),
    env: 'WAYBILL_LEASE_MS',
    default: LOOP.lease.leaseMs,
    description: 'How long a claim lasts without renewal: the time until another dispatcher takes over after a crash.',
  },
  'lease.renewEveryMs': {
    ...ms(100, DAY_MS),
    env: 'WAYBILL_LEASE_RENEW_EVERY_MS',
    default: LOOP.lease.renewEveryMs,
    description:
      'How often the heartbeat renews the leases. Less than half of lease.leaseMs, so that one lost renewal costs nothing.',
  },
  'retry.maxAttempts': {
    ...count('attempts', 1, 10_000),
    env: 'WAYBILL_RETRY_MAX_ATTEMPTS',
    default: LOOP.retry.maxAttempts,
    description: 'Attempts before a record is dead.',
  },
  'retry.baseMs': {
    ...ms(1, DAY_MS),
    env: 'WAYBILL_RETRY_BASE_MS',
    default: LOOP.retry.baseMs,
    description: 'The upper bound of the first delay; the real one is drawn at random below it.',
  },
  'retry.factor': {
    kind: 'number',
    unit: 'factor',
    whole: false,
    env: 'WAYBILL_RETRY_FACTOR',
    min: 1,
    max: 10,
    default: LOOP.retry.factor,
    description: 'What the bound is multiplied by after each attempt.',
  },
  'retry.capMs': {
    ...ms(1, MAX_TIMER_MS),
    env: 'WAYBILL_RETRY_CAP_MS',
    default: LOOP.retry.capMs,
    description: 'The bound that no delay exceeds, whatever the attempt.',
  },
  'polling.busyMs': {
    ...ms(1, 60 * SECOND_MS),
    env: 'WAYBILL_POLLING_BUSY_MS',
    default: LOOP.polling.busyMs,
    description: 'The pause between claims while there is work.',
  },
  'polling.idleMs': {
    ...ms(1, 60 * SECOND_MS),
    env: 'WAYBILL_POLLING_IDLE_MS',
    default: LOOP.polling.idleMs,
    description:
      'The longest pause between claims when there is none: what an idle system adds to the latency of a record at most. Twice as long while hints arrive.',
  },
  'polling.hints': {
    kind: 'choice',
    env: 'WAYBILL_POLLING_HINTS',
    choices: HINTING,
    default: 'on',
    description:
      'Whether producers tell an idle dispatcher of a message at once (LISTEN and NOTIFY, over one connection more). Without it a message waits for the next claim.',
  },
  'health.host': {
    kind: 'text',
    env: 'WAYBILL_HEALTH_HOST',
    pattern: /^[A-Za-z0-9:][A-Za-z0-9.:%-]{0,254}$/,
    shape: 'a host name or an IP address',
    default: '127.0.0.1',
    description:
      'Where /livez, /readyz and /metrics listen. Only this machine by default; 0.0.0.0 lets the probes of an orchestrator in.',
  },
  'health.port': {
    ...count('port', 0, 65_535),
    env: 'WAYBILL_HEALTH_PORT',
    default: 8_080,
    description: 'The port of /livez, /readyz and /metrics. 0 takes any free one and logs it.',
  },
  'health.stalledAfterMs': {
    ...ms(SECOND_MS, DAY_MS),
    env: 'WAYBILL_HEALTH_STALLED_AFTER_MS',
    default: 60 * SECOND_MS,
    description:
      'How long the main loop may make no progress before /livez fails. An unavailable database is not a lack of progress.',
  },
  'health.staleAfterMs': {
    ...ms(SECOND_MS, DAY_MS),
    env: 'WAYBILL_HEALTH_STALE_AFTER_MS',
    default: 30 * SECOND_MS,
    description: 'How long ago the last answer of the database may be before /readyz fails.',
  },
  'metrics.token': {
    kind: 'secret',
    env: 'WAYBILL_METRICS_TOKEN',
    pattern: /^[\w.~+/-]{16,256}=*$/,
    shape: 'a bearer token of 16 to 256 letters, digits and -._~+/',
    default: '',
    description:
      'What a scrape of /metrics has to show as a bearer token. Without one anybody who reaches health.host may scrape. Prefer WAYBILL_METRICS_TOKEN_FILE.',
  },
  'metrics.sampleEveryMs': {
    ...ms(SECOND_MS, 3_600 * SECOND_MS),
    env: 'WAYBILL_METRICS_SAMPLE_EVERY_MS',
    // As often as Prometheus scrapes by most configurations; a look costs some tens of milliseconds.
    default: 15 * SECOND_MS,
    description: 'How often one of the dispatchers counts what waits in the store.',
  },
  'shutdown.drainMs': {
    ...ms(0, DAY_MS),
    env: 'WAYBILL_SHUTDOWN_DRAIN_MS',
    default: LOOP.shutdown.drainMs,
    description:
      'How long SIGTERM waits for what is in flight. What is not finished by then is aborted and given back.',
  },
  'shutdown.terminationMs': {
    ...ms(SECOND_MS, 2 * DAY_MS),
    env: 'WAYBILL_SHUTDOWN_TERMINATION_MS',
    default: 30 * SECOND_MS,
    description:
      'When the orchestrator kills (terminationGracePeriodSeconds, TimeoutStopSec). Not acted on: it keeps drainMs honest.',
  },
  'log.level': {
    kind: 'choice',
    env: 'WAYBILL_LOG_LEVEL',
    choices: LOG_LEVELS,
    default: 'info',
    description: 'The least severe level that is logged.',
  },
};

/** The table as a list, in the order in which it is written. */
export const SETTING_ROWS: readonly (readonly [SettingPath, Setting])[] = Object.entries(SETTINGS) as [
  SettingPath,
  Setting,
][]; // Object.entries forgets the keys' type.

/** What a bounded number is before it gets its name. */
type Range = Pick<NumberSetting, 'kind' | 'unit' | 'whole' | 'min' | 'max'>;

function count(unit: Unit, min: number, max: number): Range {
  return { kind: 'number', unit, whole: true, min, max };
}

function ms(min: number, max: number): Range {
  return count('ms', min, max);
}

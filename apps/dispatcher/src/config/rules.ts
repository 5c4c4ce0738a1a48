import { SCHEMA_NAME_MAX_BYTES, type SettingPath, type Settings } from './settings.ts';

/** Something that holds between settings; a rule is asked only once each of its settings is valid by itself. */
export interface Rule {
  readonly paths: readonly [SettingPath, ...SettingPath[]];
  /** What is expected of the first path, or undefined when the rule holds. */
  readonly violated: (settings: Settings) => string | undefined;
}

// What may follow the drain before the kill: a second for handlers to stop, five to settle, two to sign off, two to close the pools.
const CLOSING_MS = 10_000;
// A loop that sleeps as long as it may must not look like one that hangs.
const IDLE_TURNS = 3;

export const RULES: readonly Rule[] = [
  {
    paths: ['schema'],
    violated: ({ schema }) =>
      Buffer.byteLength(schema) <= SCHEMA_NAME_MAX_BYTES ? undefined : `at most ${SCHEMA_NAME_MAX_BYTES} bytes`,
  },
  {
    paths: ['lease.renewEveryMs', 'lease.leaseMs'],
    violated: ({ lease }) =>
      lease.renewEveryMs * 2 < lease.leaseMs ? undefined : `less than half of lease.leaseMs (${lease.leaseMs})`,
  },
  {
    paths: ['retry.capMs', 'retry.baseMs'],
    violated: ({ retry }) => (retry.capMs >= retry.baseMs ? undefined : `at least retry.baseMs (${retry.baseMs})`),
  },
  {
    paths: ['polling.idleMs', 'polling.busyMs'],
    violated: ({ polling }) =>
      polling.idleMs >= polling.busyMs ? undefined : `at least polling.busyMs (${polling.busyMs})`,
  },
  {
    paths: ['health.stalledAfterMs', 'polling.idleMs'],
    violated: ({ health, polling }) =>
      health.stalledAfterMs >= polling.idleMs * IDLE_TURNS
        ? undefined
        : `at least ${IDLE_TURNS} times polling.idleMs (${polling.idleMs * IDLE_TURNS})`,
  },
  {
    paths: ['shutdown.drainMs', 'shutdown.terminationMs'],
    violated: ({ shutdown }) =>
      shutdown.drainMs + CLOSING_MS <= shutdown.terminationMs
        ? undefined
        : `at most shutdown.terminationMs - ${CLOSING_MS} (${shutdown.terminationMs - CLOSING_MS}), so that closing comes before the kill`,
  },
];

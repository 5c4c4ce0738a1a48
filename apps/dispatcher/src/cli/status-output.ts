import type { ContractSignals, KeptPause, RecentAttempts, SchemaStatus } from '@waybill/store';
import { type ListedDispatcher, listed } from './dispatchers-command.ts';
import { type Output, table } from './output.ts';
import type { StoreStatus } from './status-command.ts';

/** Both forms of `waybill status`. Pure. */
export function statusOutput({ schema, found }: StoreStatus): Output {
  if (found === null)
    return {
      document: { store: schema },
      text: () => `the tables are not ready (${schema.status}): see waybill schema doctor`,
    };
  const { signals, lastHour, pauses } = found;
  const { contracts, heldKeys, capped } = signals;
  const summary: Summary = {
    pending: sum(contracts, pendingOf),
    processing: sum(contracts, ({ processing }) => processing),
    failed: { dead: sum(contracts, deadOf), retrying: sum(contracts, ({ retrying }) => retrying) },
    oldestPendingSeconds: oldestOf(contracts),
    heldKeys,
    capped,
    lastHour: { ...lastHour, successRate: successRate(lastHour) },
    waitingForReader: contracts
      .filter((contract) => !contract.hasReader && pendingOf(contract) > 0)
      .map((contract) => ({ type: contract.type, version: contract.version, count: pendingOf(contract) })),
    dispatchers: signals.dispatchers.map(listed),
    pauses,
  };
  return { document: { store: schema, ...summary }, text: () => describe(schema, summary) };
}

interface Summary {
  readonly pending: number;
  readonly processing: number;
  readonly failed: { readonly dead: number; readonly retrying: number };
  /** Null: nothing is pending, or the oldest lies too far back to be seen. */
  readonly oldestPendingSeconds: number | null;
  readonly heldKeys: number;
  /** The numbers are lower bounds. */
  readonly capped: boolean;
  readonly lastHour: RecentAttempts & { readonly successRate: number | null };
  readonly waitingForReader: readonly { readonly type: string; readonly version: number; readonly count: number }[];
  readonly dispatchers: readonly ListedDispatcher[];
  readonly pauses: readonly KeptPause[];
}

function describe(schema: SchemaStatus, summary: Summary): string {
  const { failed, oldestPendingSeconds: oldest, lastHour, capped } = summary;
  const counted = (count: number): string => `${capped ? '>=' : ''}${String(count)}`;
  const rate = lastHour.successRate === null ? 'no attempts' : `${(lastHour.successRate * 100).toFixed(1)} %`;
  const waiting = summary.waitingForReader.map(
    ({ type, version, count }) => `${type}@${String(version)} (${counted(count)})`,
  );
  const paused = summary.pauses.map(({ type, destination }) => type ?? destination ?? '');
  return table([
    ['store', storeText(schema)],
    ['pending', counted(summary.pending)],
    ['processing', counted(summary.processing)],
    ['failed', `${counted(failed.dead)} dead, ${counted(failed.retrying)} in retry`],
    ['oldest pending', oldest === null ? '-' : `${String(Math.round(oldest))} s`],
    ['keys held by a dead message', counted(summary.heldKeys)],
    ['success rate, last hour', `${rate} (${String(lastHour.accepted)} of ${String(lastHour.attempts)} attempts)`],
    ['dispatchers', listOf(summary.dispatchers.map(({ build }) => build))],
    ['waiting for a reader', listOf(waiting)],
    ['paused', listOf(paused)],
  ]);
}

/** What can be read at all is ready, or of the generation without record keys. */
const storeText = ({ status }: SchemaStatus): string =>
  status === 'ready' ? status : `${status}: tables without record keys, one batch drainer; see waybill schema doctor`;

const listOf = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));

const pendingOf = ({ ready, timed, behind }: ContractSignals): number => ready + timed + behind;

const deadOf = ({ dead }: ContractSignals): number => Object.values(dead).reduce((total, count) => total + count, 0);

function sum(contracts: readonly ContractSignals[], count: (contract: ContractSignals) => number): number {
  return contracts.reduce((total, contract) => total + count(contract), 0);
}

function oldestOf(contracts: readonly ContractSignals[]): number | null {
  const ages = contracts.flatMap(({ oldestAgeMs }) => (oldestAgeMs === null ? [] : [oldestAgeMs]));
  return ages.length === 0 ? null : Math.max(...ages) / 1_000;
}

function successRate({ accepted, attempts }: RecentAttempts): number | null {
  return attempts === 0 ? null : accepted / attempts;
}

import type { ContractSignals, StoreHealth, StoreSignals } from '@waybill/store';
import type { GaugeName, MetricsSink, Reading } from './metric.ts';

/** A look at the store, and how long ago it was. */
export interface Sample {
  readonly signals: StoreSignals;
  /** Null when it was not to be had. */
  readonly health: StoreHealth | null;
  readonly ageMs: number;
}

type ObserveEach = <Name extends GaugeName>(name: Name, readings: (sample: Sample) => readonly Reading<Name>[]) => void;

/** Lets the last look be read whenever somebody collects. Without one there are no readings, so nothing old or invented is shown. */
export function observeStore(latest: () => Sample | null, sink: MetricsSink): void {
  const each: ObserveEach = (name, readings) =>
    sink.observe(name, () => {
      const sample = latest();
      return sample === null ? [] : readings(sample);
    });
  const contracts = <Name extends GaugeName>(
    name: Name,
    readings: (contract: ContractSignals) => readonly Reading<Name>[],
  ): void => each(name, ({ signals }) => signals.contracts.flatMap(readings));

  contracts('waybill.message.pending', (contract) =>
    Object.entries(pendingReasons(contract)).map(([reason, value]) => ({
      attributes: { ...identityOf(contract), reason },
      value,
    })),
  );
  contracts('waybill.message.processing', (contract) => [reading(contract, contract.processing)]);
  contracts('waybill.message.retrying', (contract) => [reading(contract, contract.retrying)]);
  contracts('waybill.message.dead', (contract) =>
    Object.entries(contract.dead).map(([reason, value]) => ({
      attributes: { ...identityOf(contract), reason },
      value,
    })),
  );
  contracts('waybill.message.oldest_age', (contract) => [reading(contract, ageSeconds(contract))]);
  contracts('waybill.message.waiting_for_reader', (contract) => [
    reading(contract, contract.hasReader ? 0 : waiting(contract)),
  ]);
  contracts('waybill.message.waiting_for_reader_age', (contract) => [
    reading(contract, contract.hasReader ? 0 : ageSeconds(contract)),
  ]);
  each('waybill.message.capped', ({ signals }) => [{ attributes: {}, value: signals.capped ? 1 : 0 }]);
  each('waybill.key.held', ({ signals }) => [{ attributes: {}, value: signals.heldKeys }]);
  observeHealth(each);
  each('waybill.sample.age', ({ ageMs }) => [{ attributes: {}, value: ageMs / 1_000 }]);
  each('waybill.dispatcher.live', ({ signals }) =>
    [...countByBuild(signals)].map(([build, value]) => ({ attributes: { build }, value })),
  );
}

function observeHealth(each: ObserveEach): void {
  each('waybill.table.dead_rows', ({ health }) =>
    (health?.tables ?? []).map(({ table, deadRows }) => ({ attributes: { table }, value: deadRows })),
  );
  each('waybill.table.size', ({ health }) =>
    (health?.tables ?? []).map(({ table, bytes }) => ({ attributes: { table }, value: bytes })),
  );
  each('waybill.store.oldest_transaction_age', ({ health }) =>
    health === null ? [] : [{ attributes: {}, value: health.oldestTransactionAgeMs / 1_000 }],
  );
}

/** Why the pending messages of a contract wait. What nobody reads waits for that, wherever it stands. */
export function pendingReasons(contract: ContractSignals): Readonly<Record<string, number>> {
  const { ready, timed, behind } = contract;
  return contract.hasReader
    ? { ready, timed, behind, 'no-reader': 0 }
    : { ready: 0, timed: 0, behind: 0, 'no-reader': waiting(contract) };
}

function waiting({ ready, timed, behind }: ContractSignals): number {
  return ready + timed + behind;
}

function ageSeconds({ oldestAgeMs }: ContractSignals): number {
  return (oldestAgeMs ?? 0) / 1_000;
}

function identityOf({ type, version }: ContractSignals): { readonly type: string; readonly version: string } {
  return { type, version: String(version) };
}

function reading(
  contract: ContractSignals,
  value: number,
): { readonly attributes: { readonly type: string; readonly version: string }; readonly value: number } {
  return { attributes: identityOf(contract), value };
}

function countByBuild({ dispatchers }: StoreSignals): ReadonlyMap<string, number> {
  return dispatchers.reduce(
    (counts, { build }) => counts.set(build, (counts.get(build) ?? 0) + 1),
    new Map<string, number>(),
  );
}

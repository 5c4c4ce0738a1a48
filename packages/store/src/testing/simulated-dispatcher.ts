import type { AnyMessage, ContractPackage } from '@waybill/contracts';
import type { Run } from '../claimed.ts';
import { createClaimer, type TypedRecord } from '../claimer.ts';
import { registerContracts } from '../contracts.ts';
import {
  drainDispatcher,
  leaveDispatcher,
  registerDispatcher,
  seeDispatcher,
} from '../statements/dispatcher-registry.ts';
import { renew } from '../statements/renew.ts';
import { type Settlement, type SettleResult, settle } from '../statements/settle.ts';
import type { Store } from '../store.ts';

export interface StartOptions {
  readonly id: string;
  readonly build: string;
  readonly contracts: readonly ContractPackage[];
  readonly heartbeatMs: number;
  readonly leaseMs: number;
  readonly now: () => number;
}

export interface SimulatedDispatcherPort {
  claim(limit: number): Promise<{ readonly runs: readonly Run<TypedRecord>[]; readonly sweepDue: boolean }>;
  claimSuspect(): Promise<readonly Run<TypedRecord>[]>;
  settle(settlement: Settlement): Promise<SettleResult['status']>;
  renew(leases: readonly { readonly head: string; readonly fence: string }[]): Promise<readonly string[]>;
  see(inHand: readonly string[]): Promise<void>;
  leave(): Promise<void>;
}

// As long as the dispatcher's own.
const RUN_LENGTH = 50;

/** What the dispatcher's loop asks of the store, one call at a time. */
export async function startDispatcher(
  store: Store,
  { id, build, contracts, heartbeatMs, leaseMs, now }: StartOptions,
): Promise<SimulatedDispatcherPort> {
  const messages = contracts.flatMap((contract) => contract.messages);
  const ids = await registerContracts(store, contractsOf(messages), build);
  await registerDispatcher(store, { id, build, contractIds: [...ids.values()], heartbeatMs, leaseMs });
  const claimer = createClaimer(store, { owner: id, contracts: ids, leaseMs, now });
  return {
    claim: (limit) => claimer.claim({ limit, runLength: RUN_LENGTH, timed: true }),
    claimSuspect: () => claimer.claimSuspect(),
    async settle(settlement) {
      const [result] = await settle(store.database, store, id, [settlement]);
      if (result === undefined) throw new TypeError('a settlement was answered without a result');
      return result.status;
    },
    renew: async (leases) => [...(await renew(store.database, store, { owner: id, leases, leaseMs })).renewed],
    async see(inHand) {
      await seeDispatcher(store, { id, inHand });
    },
    async leave() {
      await drainDispatcher(store, id);
      await leaveDispatcher(store, id);
    },
  };
}

/** The versions of some messages, as programs register them. */
function contractsOf(
  messages: readonly AnyMessage[],
): readonly (Pick<AnyMessage, 'type' | 'kind' | 'headPolicy'> & { readonly version: number })[] {
  return messages.flatMap(({ type, kind, headPolicy, versions }) =>
    Object.keys(versions).map((version) => ({ type, kind, headPolicy, version: Number(version) })),
  );
}

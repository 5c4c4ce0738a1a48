import { type Claimer, type ClaimerOptions, createClaimer } from '../claimer.ts';
import type { Executor } from '../executor.ts';
import { type Renewal, renew } from '../statements/renew.ts';
import { type Settlement, type SettleResult, settle } from '../statements/settle.ts';
import type { Store } from '../store.ts';

/** A lease of a run, by the position that carries it now. */
export interface RunLease {
  readonly head: string;
  readonly fence: string;
}

/** What one owner claims, renews and settles with. How, is up to the tables: where they have no keys, order is kept in memory. */
export interface Drainer {
  readonly claimer: Claimer;
  /** Gives one result per settlement, in their order. */
  readonly settle: (executor: Executor, settlements: readonly Settlement[]) => Promise<readonly SettleResult[]>;
  readonly renew: (executor: Executor, leases: readonly RunLease[]) => Promise<Renewal>;
  /** Gives back what is leased and was not handed out. */
  readonly giveBack: (executor: Executor) => Promise<void>;
}

/** A drainer of tables with keys: the tables themselves keep the order of a key, and hand out nothing that would have to wait. */
export function createDrainer(store: Store, options: ClaimerOptions): Drainer {
  const { owner, leaseMs } = options;
  return {
    claimer: createClaimer(store, options),
    settle: (executor, settlements) => settle(executor, store, owner, settlements),
    renew: (executor, leases) => renew(executor, store, { owner, leases, leaseMs }),
    giveBack: () => Promise.resolve(),
  };
}

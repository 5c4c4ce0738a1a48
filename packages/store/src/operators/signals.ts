import type { DeadLetterReason } from '@waybill/contracts';
import { countHeldKeys, type DeadCount, readDeadCounts } from '../statements/dead-counts.ts';
import { inIndexOrder } from '../statements/index-order.ts';
import { type LiveCounts, readLiveCounts } from '../statements/live-counts.ts';
import { type LiveDispatcher, readLiveDispatchers } from '../statements/live-dispatchers.ts';
import { type PendingAge, readPendingAges } from '../statements/pending-age.ts';
import { type RecentAttempts, readRecentAttempts } from '../statements/recent-attempts.ts';
import type { Store } from '../store.ts';

/** Where the messages of one contract stand. */
export interface ContractSignals extends LiveCounts {
  /** False: no live dispatcher reads the contract, so its messages wait for one. */
  readonly hasReader: boolean;
  /** Since the oldest live message was enqueued, by the database's clock; null when there is none, or when it lies too far back to be seen. */
  readonly oldestAgeMs: number | null;
  /** Open dead letters. */
  readonly dead: Partial<Record<DeadLetterReason, number>>;
}

/** The store at one moment. */
export interface StoreSignals {
  /** Every contract that was ever registered or written. */
  readonly contracts: readonly ContractSignals[];
  /** Keys that wait for an operator behind a dead message. */
  readonly heldKeys: number;
  /** True: there is more than was counted, and the numbers are lower bounds. */
  readonly capped: boolean;
  readonly dispatchers: readonly LiveDispatcher[];
}

// Each bound is some tens of milliseconds at most. Nobody acts differently on 20,000 and on 2,000,000.
const MAX_ROWS = 20_000;
const MAX_HEADS_PER_CONTRACT = 5_000;
const MAX_DEAD_PER_CONTRACT_AND_REASON = 5_000;
const MAX_HELD_KEYS = 5_000;
/** A store in trouble must not be troubled further; without an answer in this time there is none. */
const TIMEOUT_MS = 2_000;

/** Reads what can be watched, at a cost that the size of the tables does not change. */
export async function readSignals(store: Store): Promise<StoreSignals> {
  return inIndexOrder(
    store,
    async (tx) => {
      const { dispatchers } = await readLiveDispatchers(tx, store);
      const live = await readLiveCounts(tx, store, { rows: MAX_ROWS, headsPerContract: MAX_HEADS_PER_CONTRACT });
      const ages = await readPendingAges(tx, store, MAX_ROWS);
      const dead = await readDeadCounts(tx, store, MAX_DEAD_PER_CONTRACT_AND_REASON);
      const heldKeys = await countHeldKeys(tx, store, MAX_HELD_KEYS);
      return {
        contracts: live.contracts.map((counts) => contractSignals(counts, { dispatchers, ages, dead: dead.counts })),
        heldKeys,
        capped: !live.whole || !dead.whole || heldKeys === MAX_HELD_KEYS,
        dispatchers,
      };
    },
    TIMEOUT_MS,
  );
}

/** The live dispatchers, the longest registered one first, and the time at which they were, by the database's clock. */
export async function liveDispatchers(
  store: Store,
): Promise<{ readonly now: Date; readonly dispatchers: readonly LiveDispatcher[] }> {
  return readLiveDispatchers(store.database, store);
}

/** How the attempts went at messages that ended within the window: a sample of the newest 20,000. */
export async function recentAttempts(store: Store, windowMs: number): Promise<RecentAttempts> {
  return inIndexOrder(store, (tx) => readRecentAttempts(tx, store, { most: MAX_ROWS, windowMs }), TIMEOUT_MS);
}

function contractSignals(
  counts: LiveCounts,
  found: {
    readonly dispatchers: readonly LiveDispatcher[];
    readonly ages: readonly PendingAge[];
    readonly dead: readonly DeadCount[];
  },
): ContractSignals {
  const { contractId, type, version } = counts;
  const dead = found.dead.filter((entry) => entry.contractId === contractId);
  return {
    ...counts,
    hasReader: found.dispatchers.some(({ contractIds }) => contractIds.includes(contractId)),
    oldestAgeMs: found.ages.find((age) => age.type === type && age.version === version)?.ageMs ?? null,
    dead: Object.fromEntries(dead.map(({ reason, count }) => [reason, count])),
  };
}

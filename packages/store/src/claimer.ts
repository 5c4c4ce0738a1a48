import type { ClaimedRecord, Run } from './claimed.ts';
import type { ContractIds } from './contracts.ts';
import { hasMoreBehind } from './floors.ts';
import { KnownFloors } from './known-floors.ts';
import { claim, claimSuspect } from './statements/claim.ts';
import type { Pause } from './statements/pause.ts';
import type { Store } from './store.ts';

/** A claimed message with its contract by name. */
export interface TypedRecord extends ClaimedRecord {
  readonly type: string;
  readonly version: number;
}

export interface ClaimerOptions {
  /** The dispatcher's id, which owns the leases. */
  readonly owner: string;
  /** What this dispatcher can read. A claim may ask for fewer, never for more. */
  readonly contracts: ContractIds;
  readonly leaseMs: number;
  /** How often a claim looks below its floors, for expired leases and rows that somebody had locked. Defaults to a third of the lease, 1 s to 10 s. */
  readonly fullScanMs?: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}

export interface ClaimRequest {
  /** Records at most. */
  readonly limit: number;
  /** Leases at most, each for one run. Defaults to `limit`. */
  readonly heads?: number;
  /** Records at most in one run. */
  readonly runLength: number;
  /** Look at due retries and delays too. They need no look in every claim: their resolution is that of the backoff. */
  readonly timed: boolean;
  /** The contracts to ask for now, by id. Defaults to all that this claimer reads. What is not asked for costs nothing. */
  readonly asks?: readonly number[];
}

export interface ClaimAnswer {
  readonly runs: readonly Run<TypedRecord>[];
  /** Tombstones are due: call `sweep`. */
  readonly sweepDue: boolean;
  /** How long until the next delayed record or retry is due, in milliseconds; null: nothing is, or the claim did not look (`timed`). */
  readonly nextDueMs: number | null;
  /**
   * The claim saw as many rows of a contract as it would look at, and the next one goes on behind them. Not all that it saw need have been taken:
   * those that were in hand of a dead process are suspects now.
   */
  readonly moreLeft: boolean;
  /** Suspects wait: call `claimSuspect` where nothing else is in hand. Known only to a claim that is `timed`. */
  readonly suspects: boolean;
  /** What operators have paused; null where the claim was not `timed`. It is for the caller not to ask for it any more. */
  readonly pauses: readonly Pause[] | null;
}

export interface Claimer {
  /** One claim statement in a transaction of its own, on any connection in READ COMMITTED. Claims of one claimer may not overlap. */
  claim(request: ClaimRequest): Promise<ClaimAnswer>;
  /** Claims the eldest suspect, if there is one: a record that was in hand when its process died. Only for a process that handles nothing else. */
  claimSuspect(): Promise<readonly Run<TypedRecord>[]>;
  /** Drops what is known of the floors, so that the next claim looks at everything: after a lost connection, or when a dispatcher is seen dead. */
  forget(): void;
}

// A full scan walks dead index entries that vacuum may not remove yet, so it is rare; an expired lease waits for it.
const MIN_FULL_SCAN_MS = 1_000;
const MAX_FULL_SCAN_MS = 10_000;

export function createClaimer(store: Store, options: ClaimerOptions): Claimer {
  const { owner, contracts, leaseMs, now } = options;
  const fullScanMs = options.fullScanMs ?? Math.min(MAX_FULL_SCAN_MS, Math.max(MIN_FULL_SCAN_MS, leaseMs / 3));
  const names = new Map([...contracts].map(([name, id]) => [id, splitName(name)]));
  const known = new KnownFloors();
  let fullScanAt = now() + fullScanMs;

  return {
    forget: () => known.forget(),

    async claimSuspect() {
      const asks = [...contracts.values()];
      const runs = await claimSuspect(store.database, store, { owner, leaseMs, asks });
      return runs.map(withNames);
    },

    async claim({ limit, heads = limit, runLength, timed, asks = [...contracts.values()] }) {
      if (now() >= fullScanAt) {
        known.forget();
        fullScanAt = now() + fullScanMs;
      }
      const start = known.start();
      const { runs, facts } = await claim(store.database, store, {
        owner,
        leaseMs,
        timed,
        runLength,
        maxHeads: Math.min(heads, limit),
        maxRecords: limit,
        asks: asks.map((contract) => start.ask(contract)),
      });
      start.learn(asks, facts, timed);
      return {
        runs: runs.map(withNames),
        sweepDue: facts.sweepDue,
        nextDueMs: facts.nextDueMs,
        moreLeft: hasMoreBehind(facts),
        suspects: facts.suspects,
        pauses: facts.pauses,
      };
    },
  };

  function withNames(run: Run): Run<TypedRecord> {
    return { ...run, records: run.records.map(named) };
  }

  function named(record: ClaimedRecord): TypedRecord {
    const name = names.get(record.contractId);
    if (name === undefined)
      throw new TypeError(`claimed a record of contract ${String(record.contractId)}, which was not asked for`);
    // Nobody else has the record yet, and a copy of each would be a third of what decoding costs.
    return Object.assign(record, name);
  }
}

function splitName(name: `${string}@${number}`): { readonly type: string; readonly version: number } {
  const at = name.lastIndexOf('@');
  return { type: name.slice(0, at), version: Number(name.slice(at + 1)) };
}

import type { ClaimedRecord, Run } from './claimed.ts';
import type { ContractIds } from './contracts.ts';
import { BOTTOM, type ClaimFacts, type Floor, floorsHold, nextFloor } from './floors.ts';
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
/**
 * A due time that was written before a look may be committed after it. The floor of due times stays behind by more than a settlement takes;
 * whatever is later still is found by the full scan.
 */
const DUE_MARGIN_MS = 60_000;

export function createClaimer(store: Store, options: ClaimerOptions): Claimer {
  const { owner, contracts, leaseMs, now } = options;
  const fullScanMs = options.fullScanMs ?? Math.min(MAX_FULL_SCAN_MS, Math.max(MIN_FULL_SCAN_MS, leaseMs / 3));
  const names = new Map([...contracts].map(([name, id]) => [id, splitName(name)]));
  let floors = new Map<number, Floor>();
  let dueFloors = new Map<number, number>();
  let server: string | null = null;
  let fullScanAt = now() + fullScanMs;

  // `used` are the floors that the claim started from. When they were dropped while it was under way, what it learned is dropped with them.
  function learn(used: Map<number, Floor>, asks: readonly number[], facts: ClaimFacts): void {
    for (const contract of asks) {
      const floor = used.get(contract) ?? BOTTOM;
      const next = floor === BOTTOM || floorsHold(floor, server, facts) ? nextFloor(floor, contract, facts) : BOTTOM;
      used.set(contract, next);
    }
    server = facts.server;
  }

  function forget(): void {
    floors = new Map();
    dueFloors = new Map();
  }

  return {
    forget,

    async claimSuspect() {
      const asks = [...contracts.values()];
      const runs = await claimSuspect(store.database, store, { owner, leaseMs, asks });
      return runs.map(withNames);
    },

    async claim({ limit, heads = limit, runLength, timed, asks = [...contracts.values()] }) {
      if (now() >= fullScanAt) {
        forget();
        fullScanAt = now() + fullScanMs;
      }
      const [used, usedDue] = [floors, dueFloors];
      const { runs, facts } = await claim(store.database, store, {
        owner,
        leaseMs,
        timed,
        runLength,
        maxHeads: Math.min(heads, limit),
        maxRecords: limit,
        asks: asks.map((contract) => ({
          contract,
          floor: used.get(contract) ?? BOTTOM,
          dueFloorMs: usedDue.get(contract) ?? null,
        })),
      });
      learn(used, asks, facts);
      if (timed && !facts.dueLeft) for (const contract of asks) usedDue.set(contract, facts.momentMs - DUE_MARGIN_MS);
      return {
        runs: runs.map(withNames),
        sweepDue: facts.sweepDue,
        nextDueMs: facts.nextDueMs,
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
    return { ...record, ...name };
  }
}

function splitName(name: `${string}@${number}`): { readonly type: string; readonly version: number } {
  const at = name.lastIndexOf('@');
  return { type: name.slice(0, at), version: Number(name.slice(at + 1)) };
}

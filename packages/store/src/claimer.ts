import type { ClaimedRecord, Run } from './claimed.ts';
import type { ContractIds } from './contracts.ts';
import { BOTTOM, type ClaimFacts, type Floor, floorsHold, nextFloor } from './floors.ts';
import { claim } from './statements/claim.ts';
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
}

export interface Claimer {
  /** One claim statement in a transaction of its own, on any connection in READ COMMITTED. Claims of one claimer may not overlap. */
  claim(request: ClaimRequest): Promise<ClaimAnswer>;
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
  let floors = new Map<number, Floor>();
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

  return {
    forget: () => {
      floors = new Map();
    },

    async claim({ limit, heads = limit, runLength, timed, asks = [...contracts.values()] }) {
      if (now() >= fullScanAt) {
        floors = new Map();
        fullScanAt = now() + fullScanMs;
      }
      const used = floors;
      const { runs, facts } = await claim(store.database, store, {
        owner,
        leaseMs,
        timed,
        runLength,
        maxHeads: Math.min(heads, limit),
        maxRecords: limit,
        asks: asks.map((contract) => ({ contract, floor: used.get(contract) ?? BOTTOM })),
      });
      learn(used, asks, facts);
      return { runs: runs.map((run) => ({ ...run, records: run.records.map(named) })), sweepDue: facts.sweepDue };
    },
  };

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

import type { Pause } from './statements/pause.ts';

/**
 * A floor is the point of one contract's ready rows below which one claimer has seen everything, so that a claim never walks dead index entries
 * again, whatever old snapshot holds vacuum back. `open` are transactions that were in progress below it and may still commit rows there.
 */
export interface Floor {
  readonly xid: bigint;
  readonly position: bigint;
  readonly open: readonly bigint[];
}

/** What one claim reports of itself: the snapshot it read with, and how far it got in each contract. */
export interface ClaimFacts {
  readonly snapshot: { readonly xmax: bigint; readonly inProgress: readonly bigint[] };
  /** Heads that the claim was willing to read of one open transaction. */
  readonly limit: number;
  /** Heads per contract that the claim was willing to read from the floor on. */
  readonly share: number;
  /** When the server started; transaction ids of another start mean nothing. */
  readonly server: string;
  readonly sweepDue: boolean;
  /** When the claim looked, in milliseconds since 1970 by the database's clock. */
  readonly momentMs: number;
  /** More may be due than the claim has taken. */
  readonly dueLeft: boolean;
  /** When the next record becomes due, in milliseconds from then; null: none, or not asked. */
  readonly nextDueMs: number | null;
  /** What operators have paused; null where the claim did not look. */
  readonly pauses: readonly Pause[] | null;
  /** Suspects wait to be claimed. Known only where the claim looked at what is due. */
  readonly suspects: boolean;
  readonly seen: readonly Seen[];
}

/** Rows of one contract that a claim scanned: from the floor on (`new`), or of transactions still open at the floor (`late`). */
export interface Seen {
  readonly contract: number;
  readonly source: 'new' | 'late';
  readonly rows: number;
  /** Some rows were beyond the claim's limit and stay where they are. */
  readonly cut: boolean;
  /** The last row, in index order, that was taken and whose locked version the snapshot had seen. */
  readonly last: { readonly xid: bigint; readonly position: bigint } | null;
}

export const BOTTOM: Floor = { xid: 0n, position: 0n, open: [] };

// Each open transaction costs one index range per claim. More than a handful are not remembered; the floor stays below them instead.
const MAX_OPEN_TRANSACTIONS = 8;

/** The next floor of one contract, from the floor that a claim used and what the claim saw. */
export function nextFloor(floor: Floor, contract: number, facts: ClaimFacts): Floor {
  const rows = facts.seen.filter((seen) => seen.contract === contract);
  const fresh = rows.find((seen) => seen.source === 'new');
  const late = rows.find((seen) => seen.source === 'late');

  // Late rows may be left over: the transactions that wrote them must be asked for again.
  if (late !== undefined && (late.cut || late.rows >= facts.limit)) return floor;

  let point = { xid: facts.snapshot.xmax, position: 0n };
  if (fresh !== undefined && (fresh.cut || fresh.rows >= facts.share)) {
    // The window was full: everything up to the last row taken was seen, and nothing is known of what lies behind it.
    if (fresh.last === null) return floor;
    point = { xid: fresh.last.xid, position: fresh.last.position + 1n };
  }

  const open = facts.snapshot.inProgress.filter((xid) => xid < point.xid).sort((a, b) => (a < b ? -1 : 1));
  const beyond = open[MAX_OPEN_TRANSACTIONS];
  if (beyond !== undefined) point = { xid: beyond, position: 0n };
  // The point may not fall back below the floor: what lies between was seen, and its open transactions are on the old list or the new one.
  if (point.xid < floor.xid) point = { xid: floor.xid, position: floor.position };
  return { ...point, open: open.slice(0, MAX_OPEN_TRANSACTIONS).filter((xid) => xid < point.xid) };
}

/**
 * Whether more is left that the next claim gets at, since its floor has moved behind a full window. No floor moves behind late rows, nor where no row
 * could be judged: the next claim would look at the same ones, and do so for as long as somebody else has them locked.
 */
export function hasMoreBehind({ seen, share }: ClaimFacts): boolean {
  return seen.some(({ source, rows, cut, last }) => source === 'new' && last !== null && (cut || rows >= share));
}

/** Floors belong to one timeline of one server: after a restart or a failover transaction ids may repeat, and a floor could hide new rows. */
export function floorsHold(floor: Floor, knownServer: string | null, facts: ClaimFacts): boolean {
  return knownServer === facts.server && floor.xid <= facts.snapshot.xmax;
}

import type { TypedRecord } from '../claimer.ts';

/** A record under a lease of its own, and whether it may be handed out. */
export interface Leased {
  readonly record: TypedRecord;
  readonly fence: string;
  /** By the process's clock. */
  readonly dueAt: number;
}

/** A record that is leased and waits. Of its message only what a decision needs is kept: thousands may wait. */
export interface Parked {
  readonly position: string;
  readonly fence: string;
  readonly contractId: number;
  readonly dueAt: number;
}

/** A run as it was handed out. */
export interface HandedRun {
  readonly records: readonly { readonly position: string; readonly fence: string }[];
}

export interface HandOutLimits {
  readonly records: number;
  readonly runs: number;
  readonly runLength: number;
  readonly asks: ReadonlySet<number>;
  readonly now: number;
}

/**
 * The order of keys, kept in memory by one drainer. A slot holds the records of one key: one run of it at most is handed out, and behind a record that
 * waits, all that follows waits too. Decides only; leases are taken and given back by others.
 */
export class KeySlots {
  readonly #parked = new Map<string, Parked[]>();
  /** By slot, and by each position. A run stays until {@link prune}, since the transaction that ends it may yet be rolled back. */
  readonly #handedOut = new Map<string, HandedRun>();
  readonly #runs = new Map<string, HandedRun>();
  /** When the lease of a run ends, by the process's clock. */
  readonly #until = new Map<HandedRun, number>();
  #parkedCount = 0;

  get parked(): number {
    return this.#parkedCount;
  }

  /** The first of a slot, for each of them. */
  get nextDueAt(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const [first] of this.#parked.values()) next = Math.min(next, first?.dueAt ?? next);
    return next;
  }

  /** Which run a position belongs to, its first one or a later one. */
  runOf(position: string): HandedRun | undefined {
    return this.#runs.get(position);
  }

  /** Puts claimed records, in the order of their positions, into runs or aside. */
  place(slots: ReadonlyMap<Leased, string>, limits: HandOutLimits, runs: Map<string, Leased[]>): void {
    let left = limits.records - [...runs.values()].reduce((sum, { length }) => sum + length, 0);
    for (const [leased, slot] of slots) {
      const run = runs.get(slot);
      const fits = run === undefined ? runs.size < limits.runs : run.length < limits.runLength;
      const waits = this.#handedOut.has(slot) || this.#isBehind(leased.record.position, slot);
      if (left > 0 && fits && !waits && isTakeable({ ...leased, contractId: leased.record.contractId }, limits)) {
        runs.set(slot, [...(run ?? []), leased]);
        left -= 1;
      } else this.#park(leased, slot);
    }
  }

  /** Notes runs as handed out, under leases that last until a moment. */
  handOut(runs: ReadonlyMap<string, readonly Leased[]>, until: number): void {
    for (const [slot, leased] of runs) {
      const run = { records: leased.map(({ record: { position }, fence }) => ({ position, fence })) };
      this.#handedOut.set(slot, run);
      for (const { position } of run.records) this.#runs.set(position, run);
      this.#until.set(run, until);
    }
  }

  extend(run: HandedRun, until: number): void {
    if (this.#until.has(run)) this.#until.set(run, until);
  }

  /** The run is over. */
  end(run: HandedRun): void {
    this.#until.delete(run);
  }

  /** Forgets runs that are over, and those whose leases have run out: they are the store's again. */
  prune(now: number): void {
    for (const [slot, run] of this.#handedOut) {
      if ((this.#until.get(run) ?? now) > now) continue;
      this.#until.delete(run);
      this.#handedOut.delete(slot);
      for (const { position } of run.records) this.#runs.delete(position);
    }
  }

  /** Forgets waiting records that may be handed out now, so that they are claimed anew with all that they say. Gives them. */
  unpark(limits: HandOutLimits): readonly Parked[] {
    const free: Parked[] = [];
    for (const [slot, parked] of this.#parked) {
      if (free.length >= limits.records) break;
      if (this.#handedOut.has(slot)) continue;
      const end = parked.findIndex((one) => !isTakeable(one, limits));
      const takeable = parked.slice(0, Math.min(end === -1 ? parked.length : end, limits.runLength));
      free.push(...takeable);
      this.#setParked(slot, parked.slice(takeable.length));
    }
    return free;
  }

  /** Everything that waits. */
  allParked(): readonly Parked[] {
    return [...this.#parked.values()].flat();
  }

  /** Keeps of what waits only what passes. */
  keepParked(keep: (parked: Parked) => boolean): void {
    for (const [slot, parked] of this.#parked) this.#setParked(slot, parked.filter(keep));
  }

  #isBehind(position: string, slot: string): boolean {
    const first = this.#parked.get(slot)?.[0];
    return first !== undefined && BigInt(first.position) < BigInt(position);
  }

  #park({ record: { position, contractId }, fence, dueAt }: Leased, slot: string): void {
    // A lease that ran out meanwhile may have been taken anew.
    const others = (this.#parked.get(slot) ?? []).filter((one) => one.position !== position);
    const after = others.findIndex((one) => BigInt(one.position) > BigInt(position));
    const place = after === -1 ? others.length : after;
    this.#setParked(slot, others.toSpliced(place, 0, { position, fence, contractId, dueAt }));
  }

  #setParked(slot: string, parked: readonly Parked[]): void {
    this.#parkedCount += parked.length - (this.#parked.get(slot)?.length ?? 0);
    if (parked.length === 0) this.#parked.delete(slot);
    else this.#parked.set(slot, [...parked]);
  }
}

function isTakeable(
  { dueAt, contractId }: Pick<Parked, 'dueAt' | 'contractId'>,
  { asks, now }: HandOutLimits,
): boolean {
  return dueAt <= now && asks.has(contractId);
}

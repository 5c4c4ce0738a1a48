import type { Readers } from '@waybill/contracts';
import type { Run } from '../claimed.ts';
import type { ClaimAnswer, ClaimRequest, TypedRecord } from '../claimer.ts';
import type { ContractIds } from '../contracts.ts';
import type { Executor } from '../executor.ts';
import { type BatchRecord, type BatchSettlement, claimBatch, renewBatch, settleBatch } from '../statements/batch.ts';
import { hasKeylessLive } from '../statements/keyless-live.ts';
import { selectPauses } from '../statements/pause.ts';
import type { Renewal } from '../statements/renew.ts';
import type { Settlement, SettleResult } from '../statements/settle.ts';
import type { Store } from '../store.ts';
import type { Drainer, RunLease } from './drainer.ts';
import { GENERATION, schemaGeneration } from './generation.ts';
import { type HandedRun, type HandOutLimits, KeySlots, type Leased, type Parked } from './key-slots.ts';
import { storedKey } from './stored-key.ts';

export interface KeylessDrainerOptions {
  /** The dispatcher's id, which owns the leases. */
  readonly owner: string;
  readonly contracts: ContractIds;
  /** Keys are computed from payloads, so whoever drains has to read them. */
  readonly readers: Readers;
  readonly leaseMs: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Called when the tables keep the order themselves by now: no record without a key is left, so this drainer is to be replaced. */
  readonly onKeyed: () => void;
}

/** Records that wait at most: behind a retry, a delay or a destination that takes nothing. Beyond it the drainer waits for them. */
const MAX_PARKED = 5_000;
/** On tables with keys, so often and for so long nothing that waits is leased: the backfill, which leaves alone what is leased, gets its turn. */
const LET_GO_EVERY_MS = 10_000;
const LET_GO_FOR_MS = 500;
/** Bounds one claim. */
const PAGE_RECORDS = 200;

/**
 * Whether order has to be kept in memory: the tables have no record keys, by their columns and not by what was noted about them, or records that were
 * written without one are on their way.
 */
export async function needsKeylessDrainer(store: Store, contracts: ContractIds): Promise<boolean> {
  if ((await schemaGeneration(store)) < GENERATION) return true;
  return hasKeylessLive(store.database, store, [...contracts.values()]);
}

/**
 * A drainer for records without a stored key. It computes the keys and keeps their order in memory, so it has to be the only one: see `enterBatch`. Works
 * on tables of every generation, while they are being migrated too.
 *
 * What it cannot know: the key of a record that this build cannot read, the retry policy of a record's first failure, who killed its process.
 */
export function createKeylessDrainer(store: Store, options: KeylessDrainerOptions): Drainer {
  const drainer = new KeylessDrainer(store, options);
  return {
    claimer: {
      claim: (request) => drainer.claim(request),
      claimSuspect: () => Promise.resolve([]),
      forget: () => {},
    },
    settle: (executor, settlements) => drainer.settle(executor, settlements),
    renew: (executor, leases) => drainer.renew(executor, leases),
    giveBack: (executor) => drainer.giveBack(executor),
  };
}

class KeylessDrainer {
  readonly #store: Store;
  readonly #options: KeylessDrainerOptions;
  readonly #names: ReadonlyMap<number, Pick<TypedRecord, 'type' | 'version'>>;
  readonly #slots = new KeySlots();
  #letGoAt: number;
  #restUntil = Number.NEGATIVE_INFINITY;

  constructor(store: Store, options: KeylessDrainerOptions) {
    this.#store = store;
    this.#options = options;
    this.#letGoAt = options.now() + LET_GO_EVERY_MS;
    this.#names = new Map([...options.contracts].map(([name, id]) => [id, splitName(name)]));
  }

  async claim({ limit, heads = limit, runLength, timed, asks }: ClaimRequest): Promise<ClaimAnswer> {
    const { contracts, now, onKeyed } = this.#options;
    const generation = await schemaGeneration(this.#store);
    const facts = {
      sweepDue: generation === GENERATION && timed,
      moreLeft: false,
      suspects: false,
      pauses: generation === GENERATION && timed ? await selectPauses(this.#store.database, this.#store) : null,
    };
    if (!(await needsKeylessDrainer(this.#store, contracts))) {
      onKeyed();
      return { ...facts, runs: [], nextDueMs: null };
    }
    const limits = { records: limit, runs: heads, runLength, asks: new Set(asks ?? contracts.values()), now: now() };
    if (generation === GENERATION) await this.#letGo(limits.now);
    if (limits.now < this.#restUntil) return { ...facts, runs: [], nextDueMs: this.#restUntil - limits.now };
    this.#slots.prune(limits.now);
    await this.#release(this.#store.database, this.#slots.unpark(limits));
    const runs = await this.#fill(limits);
    // Counted from before the leases were taken, so that they last longer.
    this.#slots.handOut(runs, limits.now + this.#options.leaseMs);
    const nextDueMs = this.#slots.nextDueAt - limits.now;
    return {
      ...facts,
      runs: [...runs.values()].map(runFrom),
      nextDueMs: Number.isFinite(nextDueMs) ? nextDueMs : null,
    };
  }

  async settle(executor: Executor, settlements: readonly Settlement[]): Promise<readonly SettleResult[]> {
    const { owner } = this.#options;
    const all = settlements.map((settlement) => ({ settlement, run: this.#slots.runOf(settlement.head) }));
    const writes = all.flatMap(({ settlement, run }) => (run === undefined ? [] : settlementsOf(settlement, run)));
    const owned = writes.length === 0 ? new Set<string>() : await settleBatch(executor, this.#store, owner, writes);
    return all.map(({ settlement, run }) => {
      const { head } = settlement;
      if (run === undefined) return { head, status: 'lease-lost' };
      const isOwned = settlementsOf(settlement, run).every(({ position }) => owned.has(position));
      const kept = isOwned && settlement.next.then === 'keep' ? restOf(run, settlement)[0] : undefined;
      if (kept === undefined) this.#slots.end(run);
      return isOwned ? { head, status: 'settled', keptHead: kept?.position ?? null } : { head, status: 'lease-lost' };
    });
  }

  async renew(executor: Executor, leases: readonly RunLease[]): Promise<Renewal> {
    const { owner, leaseMs } = this.#options;
    const until = this.#options.now() + leaseMs;
    const runs = leases.map(({ head }) => {
      const run = this.#slots.runOf(head);
      return { head, run, records: restFrom(run, head) };
    });
    const parked = this.#slots.allParked();
    const all = [...runs.flatMap(({ records }) => records), ...parked];
    if (all.length === 0) return { renewed: new Set(), owned: new Set() };
    const owned = await renewBatch(executor, this.#store, { owner, leaseMs, leases: all });
    const renewedParked = new Set(parked.filter(({ position }) => owned.has(position)).map(keyOfLease));
    const asked = new Set(parked.map(keyOfLease));
    this.#slots.keepParked((one) => !asked.has(keyOfLease(one)) || renewedParked.has(keyOfLease(one)));
    const whole = runs.filter(
      ({ records }) => records.length > 0 && records.every(({ position }) => owned.has(position)),
    );
    for (const { run } of whole) if (run !== undefined) this.#slots.extend(run, until);
    const heads = new Set(whole.map(({ head }) => head));
    return { renewed: heads, owned: heads };
  }

  async giveBack(executor: Executor): Promise<void> {
    const parked = this.#slots.allParked();
    this.#slots.keepParked(() => false);
    await this.#release(executor, parked);
  }

  async #letGo(now: number): Promise<void> {
    if (now < this.#letGoAt) return;
    this.#letGoAt = now + LET_GO_EVERY_MS;
    if (this.#slots.parked === 0) return;
    this.#restUntil = now + LET_GO_FOR_MS;
    await this.giveBack(this.#store.database);
  }

  /** Claims until there is enough, nothing more, or too much that waits. */
  async #fill(limits: HandOutLimits): Promise<Map<string, Leased[]>> {
    const { owner, leaseMs, contracts } = this.#options;
    const runs = new Map<string, Leased[]>();
    const request = { owner, leaseMs, most: PAGE_RECORDS, contractIds: [...contracts.values()] };
    for (;;) {
      const page = await claimBatch(this.#store.database, this.#store, request);
      this.#slots.place(new Map(page.map((record) => this.#slotted(record, limits.now))), limits, runs);
      const found = [...runs.values()].reduce((sum, { length }) => sum + length, 0);
      if (page.length < PAGE_RECORDS || found >= limits.records || this.#slots.parked >= MAX_PARKED) return runs;
    }
  }

  #slotted({ fence, dueInMs, ...claimed }: BatchRecord, now: number): readonly [Leased, string] {
    const name = this.#names.get(claimed.contractId);
    if (name === undefined)
      throw new TypeError(`claimed a record of contract ${String(claimed.contractId)}, which was not asked for`);
    const stored = storedKey(this.#options.readers, { ...name, payload: claimed.payload });
    const recordKey = 'key' in stored ? stored.key : '';
    const leased = { record: { ...claimed, ...name, recordKey }, fence, dueAt: now + dueInMs };
    // What has no key, or none that this build can tell, waits for nothing. A key is never a number alone.
    return [leased, recordKey === '' ? claimed.position : recordKey];
  }

  async #release(executor: Executor, parked: readonly Parked[]): Promise<void> {
    if (parked.length === 0) return;
    const settlements = parked.map(({ position, fence, dueAt }): BatchSettlement => {
      const delayMs = Math.max(0, dueAt - this.#options.now());
      return { position, fence, outcome: { then: 'release', delayMs } };
    });
    await settleBatch(executor, this.#store, this.#options.owner, settlements);
  }
}

function keyOfLease({ position, fence }: Pick<Parked, 'position' | 'fence'>): string {
  return `${position}/${fence}`;
}

/** The records of a run from a position on. */
function restFrom(run: HandedRun | undefined, head: string): HandedRun['records'] {
  const from = run?.records.findIndex(({ position }) => position === head) ?? -1;
  return run === undefined || from === -1 ? [] : run.records.slice(from);
}

/** What of a run is neither delivered before nor by this settlement. */
function restOf(run: HandedRun, { head, delivered }: Settlement): HandedRun['records'] {
  return restFrom(run, head).filter(({ position }) => !delivered.includes(position));
}

/** What the end of attempts in a run says of each record, since each has a lease of its own. What follows a record that stays goes back with it. */
function settlementsOf(settlement: Settlement, run: HandedRun): readonly BatchSettlement[] {
  const { head, delivered, next } = settlement;
  const [first, ...others] = restOf(run, settlement);
  const settlements: BatchSettlement[] = restFrom(run, head)
    .filter(({ position }) => delivered.includes(position))
    .map((lease) => ({ ...lease, outcome: { then: 'dispatched' } }));
  if (first === undefined || next.then === 'keep') return settlements;
  const back = others.map((lease): BatchSettlement => ({ ...lease, outcome: { then: 'release' } }));
  return [...settlements, { ...first, outcome: next }, ...back];
}

function runFrom(leased: readonly Leased[]): Run<TypedRecord> {
  const [first] = leased;
  // A run is made with its first record.
  if (first === undefined) throw new TypeError('a run without a record');
  return {
    head: first.record.position,
    // Targets compare fences of one record with one another; the highest one of the run never goes back.
    fence: String(leased.map(({ fence }) => BigInt(fence)).reduce((most, fence) => (fence > most ? fence : most))),
    recordKey: first.record.recordKey,
    records: leased.map(({ record }) => record),
  };
}

function splitName(name: `${string}@${number}`): Pick<TypedRecord, 'type' | 'version'> {
  const at = name.lastIndexOf('@');
  return { type: name.slice(0, at), version: Number(name.slice(at + 1)) };
}

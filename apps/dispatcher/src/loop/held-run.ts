import type { Next, Run, Settlement, SettleResult, TypedRecord } from '@waybill/store';

/** Why a run's signal fired. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
  readonly code = 'DSP_LEASE_LOST';
}

/** Nothing of the run is left, or what is left is given back. */
export const RELEASE: Next = { then: 'release' };
const KEEP: Next = { then: 'keep' };
const NOTHING: readonly string[] = [];

/**
 * A run that this process has leased: what was delivered of it and not written down yet, how it ends, and whether it may still be acted on.
 *
 * A run is *held* until it is *finished* (its worker is done with it) and then settled. In between its signal may fire: nothing of it is
 * started or sent after that, but what was accepted is still written down, since the store alone decides whether the lease still counts.
 * Once the store has said that the lease is *gone*, nothing more is written.
 */
export class HeldRun {
  readonly owner: string;
  readonly fence: string;
  readonly recordKey: string;
  readonly records: readonly TypedRecord[];
  // Made when somebody asks: it is dear, and most handlers do not look at it.
  #controller: AbortController | null = null;
  #stopped: LeaseLostError | null = null;
  #head: string;
  #safeUntil: number;
  #inHand = NOTHING;
  #started = 0;
  #delivered: string[] = [];
  #next: Next | null = null;
  #gone = false;
  #writes = 0;
  #writing = false;

  /** `safeUntil`: the last moment, by the process's clock, at which something of the run may be under way. */
  constructor(run: Run<TypedRecord>, owner: string, safeUntil: number) {
    this.owner = owner;
    this.fence = run.fence;
    this.recordKey = run.recordKey;
    this.records = run.records;
    this.#head = run.head;
    this.#safeUntil = safeUntil;
  }

  /** Position that carries the lease now. */
  get head(): string {
    return this.#head;
  }

  /** Fires when nothing of the run may be under way any more. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#stopped !== null) this.#controller.abort(this.#stopped);
    }
    return this.#controller.signal;
  }

  /** Whether the signal has fired. */
  get isStopped(): boolean {
    return this.#stopped !== null;
  }

  get safeUntil(): number {
    return this.#safeUntil;
  }

  /** How many of its records nobody has begun. */
  get unstarted(): number {
    return this.records.length - this.#started;
  }

  /** Positions of what is in a handler or on its way to a target. */
  get inHand(): readonly string[] {
    return this.#inHand;
  }

  get isFinished(): boolean {
    return this.#next !== null;
  }

  get isGone(): boolean {
    return this.#gone;
  }

  /** Changes with each write that may move the lease; null during one. A statement that ran beside a write says nothing about the run. */
  get writeMark(): number | null {
    return this.#writing ? null : this.#writes;
  }

  /** Whether a record of the run may be started. */
  isSafe(now: number): boolean {
    return this.#stopped === null && now < this.#safeUntil;
  }

  /** The heartbeat has renewed the lease. */
  extend(safeUntil: number): void {
    this.#safeUntil = Math.max(this.#safeUntil, safeUntil);
  }

  /** Ends everything that is under way. */
  stop(reason: string): void {
    if (this.#stopped !== null) return;
    this.#stopped = new LeaseLostError(reason);
    this.#controller?.abort(this.#stopped);
  }

  /** The store has said that the lease is somebody else's, or nobody's. */
  lose(): void {
    this.#gone = true;
    this.stop('the lease is no longer ours');
  }

  /** Something is done with some records, which are in hand until its {@link end}. */
  begin(positions: readonly string[]): void {
    this.#inHand = positions;
    this.#started += positions.length;
  }

  end(): void {
    this.#inHand = NOTHING;
  }

  /** The next record was accepted by its target. */
  deliver(position: string): void {
    this.#delivered.push(position);
  }

  /** The worker is done with the run; `next` is what becomes of the first record that was not delivered. The first call counts. */
  finish(next: Next): void {
    this.#next ??= next;
  }

  /** What there is to write down now; null when there is nothing. */
  settlement(): Settlement | null {
    if (this.#gone || (this.#next === null && this.#delivered.length === 0)) return null;
    return {
      head: this.#head,
      fence: this.fence,
      recordKey: this.recordKey,
      delivered: [...this.#delivered],
      next: this.#next ?? KEEP,
    };
  }

  /** A write that may move the lease begins, and {@link endWrite} ends it, whatever became of it. */
  beginWrite(): void {
    this.#writes += 1;
    this.#writing = true;
  }

  endWrite(): void {
    this.#writing = false;
  }

  /** What the store answered to a settlement. Gives whether the run is over. */
  settled(settlement: Settlement, result: SettleResult): boolean {
    this.#delivered.splice(0, settlement.delivered.length);
    if (result.status === 'lease-lost') this.lose();
    else if (result.keptHead !== null) this.#head = result.keptHead;
    // The rest of the run could not be kept: it is ready again, and not ours.
    else if (settlement.next.then === 'keep') this.lose();
    return this.#gone || settlement.next.then !== 'keep';
  }
}

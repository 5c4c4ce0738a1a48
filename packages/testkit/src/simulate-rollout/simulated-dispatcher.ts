import { type KnownBuild, nameOf, reads } from './build.ts';
import { hold } from './fault.ts';
import { describe, type Lease, type Message } from './model/ledger.ts';
import { HEARTBEAT_MS, LEASE_MS, type RegisteredDispatcher } from './model/registry.ts';
import type { TargetAnswer } from './step.ts';
import type { ClaimedRecord, ClaimedRun, DispatcherPort, RunEnd } from './target.ts';
import type { World } from './world.ts';

/** A record dies at its third failure. */
const MAX_ATTEMPTS = 3;
const RETRY_MS = 100_000;
const CLAIMS_AT_MOST = 100;

interface HeldRun {
  readonly run: ClaimedRun;
  readonly lease: Lease;
  readonly messages: readonly Message[];
  readonly delivered: readonly string[];
  readonly next: RunEnd;
}

/**
 * A dispatcher as far as the store can tell one from the real one: it claims what it can read, reads each record through the registry of readers,
 * hands it over, and settles. The loop around it, its workers and its timers are left out, so that a schedule happens the same way each time.
 */
export class SimulatedDispatcher {
  readonly entry: RegisteredDispatcher;
  state: 'running' | 'paused' | 'gone' = 'running';
  readonly #world: World;
  readonly #build: KnownBuild;
  readonly #port: DispatcherPort;
  #held: HeldRun[] = [];

  private constructor(world: World, build: KnownBuild, port: DispatcherPort, entry: RegisteredDispatcher) {
    this.#world = world;
    this.#build = build;
    this.#port = port;
    this.entry = entry;
  }

  static async start(world: World, build: KnownBuild): Promise<SimulatedDispatcher> {
    const entry = {
      id: world.random.uuid(),
      build: build.build,
      reads: build.manifest.readers,
      seenAt: world.now,
      left: false,
    };
    const port = await world.target.startDispatcher({
      id: entry.id,
      build: build.build,
      contracts: build.contracts,
      heartbeatMs: HEARTBEAT_MS,
      leaseMs: LEASE_MS,
      now: () => world.now,
    });
    for (const capability of build.readers.capabilities) world.registry.know(capability);
    world.registry.dispatchers.push(entry);
    world.registryChanges();
    const dispatcher = new SimulatedDispatcher(world, build, port, entry);
    world.dispatchers.push(dispatcher);
    return dispatcher;
  }

  /** Claims, and hands over what it got; the settlement is left for later. Gives how many records that were. */
  async take(limit: number, answers: readonly TargetAnswer[]): Promise<number> {
    const claimed = await this.#claim(limit);
    const run = claimed.map((one) => this.#handOver(one, answers));
    this.#held.push(...run);
    return claimed.reduce((sum, { records }) => sum + records.length, 0);
  }

  async settle(): Promise<void> {
    for (const { run, lease, messages, delivered, next } of this.#held.splice(0)) {
      const settlement = { head: run.head, fence: run.fence, delivered, next };
      const answer = await this.#port.settle(settlement);
      this.#world.count(answer);
      this.#world.ledger.settle(settlement, answer, { lease, messages }, this.#world.now);
    }
  }

  /** Works until it finds nothing more. */
  async drain(): Promise<void> {
    let records = 0;
    await this.settle();
    do {
      records = await this.take(CLAIMS_AT_MOST, ['accept']);
      await this.settle();
    } while (records > 0);
    this.#gotAll();
    await this.beat();
  }

  /** Shows that it lives, and keeps its leases. */
  async beat(): Promise<void> {
    const inHand = this.#held.flatMap(({ run }) => run.records.map(({ position }) => position));
    const renewed = await this.#port.renew(this.#held.map(({ run }) => run));
    for (const { run, lease, messages } of this.#held) {
      const isMine = messages.every((message) => message.lease === lease);
      const isRenewed = renewed.includes(run.head);
      hold(
        isRenewed ? isMine : !isMine || lease.until <= this.#world.now,
        'lease',
        () => `${this.entry.build} ${isRenewed ? 'renewed a lease of somebody else' : 'could not renew its lease'}`,
      );
      if (isRenewed) lease.until = this.#world.now + LEASE_MS;
    }
    await this.#port.see(inHand);
    this.entry.seenAt = this.#world.now;
  }

  async stop(): Promise<void> {
    await this.settle();
    await this.#port.leave();
    this.state = 'gone';
    this.entry.left = true;
    this.#world.registryChanges();
  }

  /** Ordinary claims, until one gives no more, then what was in hand of processes that have died. */
  async #claim(limit: number): Promise<readonly ClaimedRun[]> {
    const runs: ClaimedRun[] = [];
    let left = limit;
    let swept = false;
    while (left > 0) {
      const { runs: more, sweepDue } = await this.#port.claim(left);
      for (const run of more) left -= run.records.length;
      runs.push(...more.map((run) => this.#accept(run)));
      if (limit < CLAIMS_AT_MOST) return runs;
      // A key whose writer is still under way keeps its tombstone, however often one sweeps.
      if (more.length === 0 && (!sweepDue || swept)) break;
      if (sweepDue) await this.#world.target.sweep();
      swept = more.length === 0;
    }
    while (left > 0 && this.#world.lostOne) {
      const suspects = await this.#port.claimSuspect();
      if (suspects.length === 0) break;
      this.#world.count('suspect');
      left -= suspects.length;
      runs.push(...suspects.map((run) => this.#accept(run)));
    }
    return runs;
  }

  /** Holds a lease against what may be leased, and notes it. */
  #accept(run: ClaimedRun): ClaimedRun {
    const { ledger, now } = this.#world;
    for (const record of run.records)
      hold(
        reads(this.entry.reads, record),
        'unreadable-lease',
        () => `${this.entry.build} got ${nameOf(record)}, which it does not read`,
      );
    const lease = { dispatcher: this.entry.id, head: run.head, fence: run.fence, until: now + LEASE_MS };
    ledger.claim(run, lease, now);
    return run;
  }

  #handOver(run: ClaimedRun, answers: readonly TargetAnswer[]): HeldRun {
    const messages = run.records.map(({ id }) => this.#message(id));
    const delivered: string[] = [];
    let next: RunEnd = { then: 'release', delayMs: 0 };
    for (const [nth, record] of run.records.entries()) {
      const end = this.#try(record, answers[nth % Math.max(1, answers.length)] ?? 'accept');
      if (end !== null) {
        next = end;
        break;
      }
      delivered.push(record.position);
    }
    const lease = messages[0]?.lease;
    hold(lease !== undefined && lease !== null, 'lease', () => 'a run was handed over without a lease');
    return { run, lease, messages, delivered, next };
  }

  /** Null: the target has accepted it. */
  #try(record: ClaimedRecord, answer: TargetAnswer): RunEnd | null {
    const read = this.#build.readers.read(record);
    if (read.status !== 'ok') {
      this.#world.count('unreadable-here');
      return { then: 'release', delayMs: RETRY_MS };
    }
    if (answer === 'accept') return null;
    const { position } = record;
    if (answer === 'refuse') return { then: 'dead-letter', position, reason: 'refused', error: 'refused' };
    if (record.attempt + 1 >= MAX_ATTEMPTS)
      return { then: 'dead-letter', position, reason: 'attempts-exhausted', error: 'no more attempts' };
    return { then: 'retry', delayMs: RETRY_MS, error: 'try again' };
  }

  /** Whoever asks for all gets all that is free and that it can read. */
  #gotAll(): void {
    const { ledger, now, transactions } = this.#world;
    const busy = new Set(transactions.flatMap(({ keys }) => [...keys]));
    const left = ledger
      .live()
      .find((message) => reads(this.entry.reads, message) && !busy.has(message.key) && ledger.isFree(message, now));
    hold(
      left === undefined,
      'not-taken',
      () => `${this.entry.build} asked for all, and did not get ${left === undefined ? '' : describe(left)}`,
    );
  }

  #message(id: string): Message {
    const message = this.#world.ledger.messages.get(id);
    hold(message !== undefined, 'ghost', () => `${id} was never committed`);
    return message;
  }
}

import type { Pause, TypedRecord } from '@waybill/store';
import type { Transport } from '@waybill/transports';
import type { AttemptOutcome } from '../attempt/outcome.ts';
import type { Clock } from '../loop/clock.ts';
import type { HeldRun } from '../loop/held-run.ts';
import type { HeldRuns } from '../loop/held-runs.ts';
import type { LoopLogger } from '../loop/loop-logger.ts';
import type { Route } from '../routes/route.ts';
import { BatchSize } from './batch-size.ts';
import { afterFailure, at, type Breaker, CLOSED } from './breaker.ts';
import { canBreak, type DestinationLimits, destinationOf } from './destination.ts';
import { type Bucket, fullBucket, msUntilToken, refilled } from './rate.ts';

/** A claim that is allowed now: of these types, so many runs and so many records at most. */
export interface Lane {
  readonly types: readonly string[];
  readonly runs: number;
  readonly records: number;
  /** The most records that one of the targets takes at once. */
  readonly atOnce: number;
}

interface Destination {
  readonly name: string;
  readonly types: readonly string[];
  readonly limits: DestinationLimits;
  readonly batchSize: BatchSize;
  breaker: Breaker;
  bucket: Bucket | null;
}

/** What failures say nothing about a destination: nothing was sent. */
const NO_ANSWER: ReadonlySet<AttemptOutcome['outcome']> = new Set([
  'lease-lost',
  'store-unavailable',
  'unreadable-here',
]);

/**
 * Which destinations may be asked to take something now. One that is paused, rate-limited, busy or behind an open breaker is not asked for, so it
 * costs the others nothing and its records no attempt.
 */
export class Destinations {
  readonly #byName = new Map<string, Destination>();
  readonly #byType = new Map<string, Destination>();
  /** What takes a type; two transports may have one name. */
  readonly #targets: ReadonlyMap<string, Transport | null>;
  readonly #breakable: ReadonlySet<string>;
  readonly #held: HeldRuns;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #logger: LoopLogger;
  #pauses: readonly Pause[] = [];
  #skipped: ReadonlySet<string> = new Set();

  constructor(parts: {
    readonly routes: readonly Route[];
    readonly limits: Readonly<Record<string, DestinationLimits>>;
    readonly leaseMs: number;
    readonly held: HeldRuns;
    readonly clock: Clock;
    readonly random: () => number;
    readonly logger: LoopLogger;
  }) {
    this.#held = parts.held;
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#logger = parts.logger;
    this.#targets = new Map(
      parts.routes.map((route) => [route.message.type, route.via === 'publish' ? route.to : null]),
    );
    this.#breakable = new Set(parts.routes.filter(canBreak).map(({ message }) => message.type));
    for (const name of new Set(parts.routes.map(destinationOf))) {
      const routes = parts.routes.filter((route) => destinationOf(route) === name);
      const types = routes.map(({ message }) => message.type);
      const limits = parts.limits[name] ?? {};
      const bucket = limits.perSecond === undefined ? null : fullBucket(limits.perSecond, parts.clock.now());
      const batchSize = new BatchSize(maxBatchOf(routes), parts.leaseMs);
      const destination = { name, types, limits, batchSize, breaker: CLOSED, bucket };
      this.#byName.set(name, destination);
      for (const type of types) this.#byType.set(type, destination);
    }
  }

  /** What an operator has paused, as the store says. Gives whether that is news. */
  pause(pauses: readonly Pause[]): void {
    if (describe(pauses) !== describe(this.#pauses))
      this.#logger.info({ paused: pauses }, 'what is paused has changed; nothing of it is claimed or started');
    this.#pauses = pauses;
  }

  /** Types that are not asked for as records are handed out now. */
  skip(types: readonly string[]): void {
    this.#skipped = new Set(types);
  }

  /** The claims that are allowed now: one for all that is not limited, and one for each destination that is and has room. */
  lanes(): readonly Lane[] {
    const open = [...this.#byName.values()].map((destination) => this.#laneOf(destination));
    const free = open.filter(({ runs, records }) => runs === Number.POSITIVE_INFINITY && records === runs);
    const limited = open.filter((lane) => !free.includes(lane) && lane.runs > 0 && lane.records > 0);
    const common = {
      types: free.flatMap(({ types }) => types),
      runs: Number.POSITIVE_INFINITY,
      records: Number.POSITIVE_INFINITY,
      atOnce: Math.max(1, ...free.map((lane) => lane.atOnce)),
    };
    return [...limited, common].filter(({ types }) => types.length > 0);
  }

  /**
   * The records at the front of what is left of a run that may be started now, as one publish. None when their destination is closed: what was
   * claimed before that goes back. More than one only for a target that takes several at once.
   */
  startable(left: readonly TypedRecord[], run: HeldRun): readonly TypedRecord[] {
    const [first] = left;
    if (first === undefined) return [];
    const destination = this.#of(first.type);
    const most = first.crashes > 0 ? Math.min(1, this.#room(destination, run)) : this.#room(destination, run);
    const end = left.findIndex((record, index) => index >= most || !this.#goesWith(record, first, destination));
    return end < 0 ? left : left.slice(0, end);
  }

  /** How many records a worker hands to a target at once that takes several, from however many runs; 1: one run after the other. */
  atOnce(type: string): number {
    return this.#of(type).batchSize.maxBatch;
  }

  /** Whether two types lead to the same destination. */
  areTogether(one: string, other: string): boolean {
    return this.#of(one) === this.#of(other);
  }

  started(type: string): void {
    const destination = this.#of(type);
    const { perSecond } = destination.limits;
    if (destination.bucket === null || perSecond === undefined) return;
    const bucket = refilled(destination.bucket, perSecond, this.#clock.now());
    destination.bucket = { ...bucket, tokens: bucket.tokens - 1 };
  }

  /** How a try at a record ended, which says something about where it went. `ms`: how long it took, or its share of a publish. */
  ended({ type, id }: TypedRecord, { outcome }: AttemptOutcome, ms: number): void {
    const destination = this.#of(type);
    destination.batchSize.record(ms);
    if (!this.#breakable.has(type) || NO_ANSWER.has(outcome)) return;
    const now = this.#clock.now();
    const before = at(destination.breaker, now);
    // A refusal is an answer too.
    const after = outcome === 'retry' || outcome === 'unknown' ? afterFailure(before, id, now, this.#random) : CLOSED;
    destination.breaker = after;
    this.#tell(destination, before, after, now);
  }

  /** How long until a destination that is closed now may be open, in milliseconds; infinity when only an operator or the end of a run can tell. */
  msUntilChange(): number {
    const now = this.#clock.now();
    const waits = [...this.#byName.values()].flatMap((destination) => [
      msUntilTokenOf(destination, now),
      destination.breaker.state === 'open' ? Math.max(0, destination.breaker.until - now) : 0,
    ]);
    return Math.min(Number.POSITIVE_INFINITY, ...waits.filter((ms) => ms > 0));
  }

  #laneOf(destination: Destination): Lane {
    const now = this.#clock.now();
    const types = destination.types.filter((type) => !this.#isPaused(destination, type));
    const { concurrency, perSecond } = destination.limits;
    const atOnce = destination.batchSize.maxBatch;
    const { state } = at(destination.breaker, now);
    if (state === 'closed' && concurrency === undefined && perSecond === undefined)
      return { types, runs: Number.POSITIVE_INFINITY, records: Number.POSITIVE_INFINITY, atOnce };
    const mine = this.#held.all().filter((run) => !run.isFinished && this.#leadsTo(run, destination));
    const unstarted = mine.reduce((sum, run) => sum + run.unstarted, 0);
    const runs = (concurrency ?? Number.POSITIVE_INFINITY) - mine.length;
    const records = tokensOf(destination, now) - unstarted;
    if (state === 'closed') return { types, runs, records, atOnce };
    const one = state === 'half-open' && mine.length === 0 ? 1 : 0;
    return { types, runs: Math.min(one, runs), records: Math.min(one, records), atOnce };
  }

  /** How many records of the run may be started together now. */
  #room(destination: Destination, run: HeldRun): number {
    const now = this.#clock.now();
    const { state } = at(destination.breaker, now);
    if (state === 'open') return 0;
    const room = Math.min(tokensOf(destination, now), destination.batchSize.records);
    if (state === 'closed') return room;
    const others = this.#held.all().filter((other) => other !== run && other.inHand.length > 0);
    return others.some((other) => this.#leadsTo(other, destination)) ? 0 : Math.min(room, 1);
  }

  /** Whether a record may be in one publish with the first one. A suspect is tried with nothing else in hand. */
  #goesWith(record: TypedRecord, first: TypedRecord, destination: Destination): boolean {
    if (this.#isPaused(destination, record.type)) return false;
    return (
      record === first || (record.crashes === 0 && this.#targets.get(record.type) === this.#targets.get(first.type))
    );
  }

  #of(type: string): Destination {
    const destination = this.#byType.get(type);
    // Only what has a route is claimed.
    if (destination === undefined) throw new TypeError(`a record of type ${type}, which has no route`);
    return destination;
  }

  #leadsTo(run: HeldRun, destination: Destination): boolean {
    return run.records.some(({ type }) => destination.types.includes(type));
  }

  #isPaused(destination: Destination, type: string): boolean {
    return (
      this.#skipped.has(type) ||
      this.#pauses.some((pause) => pause.type === type || pause.destination === destination.name)
    );
  }

  #tell({ name }: Destination, before: Breaker, after: Breaker, now: number): void {
    if (after.state === 'open' && before.state !== 'open')
      this.#logger.warn(
        { destination: name, restMs: Math.round(after.until - now), openings: after.openings },
        'the destination fails; it is left alone for a while, and its records are charged nothing',
      );
    if (after.state === 'closed' && before.state !== 'closed')
      this.#logger.info({ destination: name }, 'the destination works again');
  }
}

/** What all transports of the name take; functions take one record at a time. */
function maxBatchOf(routes: readonly Route[]): number {
  return Math.min(...routes.map((route) => (route.via === 'publish' ? route.to.capabilities.maxBatch : 1)));
}

function tokensOf({ bucket, limits: { perSecond } }: Destination, now: number): number {
  if (bucket === null || perSecond === undefined) return Number.POSITIVE_INFINITY;
  return Math.floor(refilled(bucket, perSecond, now).tokens);
}

function msUntilTokenOf({ bucket, limits: { perSecond } }: Destination, now: number): number {
  return bucket === null || perSecond === undefined ? 0 : msUntilToken(bucket, perSecond, now);
}

function describe(pauses: readonly Pause[]): string {
  return JSON.stringify(pauses);
}

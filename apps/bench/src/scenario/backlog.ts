import { createDatabase, dropDatabase } from '@waybill/local-postgres';
import {
  type ClaimAnswer,
  type Claimer,
  createClaimer,
  migrate,
  openStore,
  registerContracts,
  type Store,
  settle,
} from '@waybill/store';
import { connectPg, enqueueMany } from '@waybill/store/pg';
import { SHAPES, type Shape } from '../load/backlog.ts';
import { openProbe, type Probe } from '../measure/probe.ts';
import { percentile } from '../statistics/statistics.ts';
import type { Bench, Measure, Scenario } from './scenario.ts';

interface BacklogSize {
  /** Messages of all shapes together. */
  readonly large: number;
  readonly small: number;
  readonly claims: number;
  /** Records of a claim. The small backlog fills one in every shape, or the two would be different claims. */
  readonly window: number;
}

const SIZES: Readonly<Record<Bench['size'], BacklogSize>> = {
  full: { large: 1_000_000, small: 12_500, claims: 200, window: 100 },
  short: { large: 100_000, small: 12_500, claims: 50, window: 100 },
  quick: { large: 20_000, small: 2_500, claims: 20, window: 20 },
  tiny: { large: 10_000, small: 2_500, claims: 10, window: 20 },
};
const RUN_LENGTH = 50;
const OWNER = '00000000-0000-4000-8000-000000000001';
const LEASE_MS = 60_000;

export const backlogScenario: Scenario = {
  name: 'backlog',
  title: 'a claim in front of a large backlog',
  async run(bench) {
    const { large, small } = SIZES[bench.size];
    const few = await claimCosts(bench, small);
    const many = await claimCosts(bench, large);
    const measures = SHAPES.flatMap(({ name }) => measuresOf(name, { small, large }, few.get(name), many.get(name)));
    const [worst, ...others] = measures.sort((a, b) => b.ratio - a.ratio);
    if (worst === undefined) throw new TypeError('a backlog has shapes');
    const faults = SHAPES.filter(({ name }) => many.get(name)?.isIdle !== false || few.get(name)?.isIdle !== false).map(
      ({ name }) => `${name}: a claim took nothing, so its cost says nothing`,
    );
    return { measures: [worst, ...others], faults };
  },
};

/** What claims of one shape cost. */
interface Cost {
  readonly ms: readonly number[];
  readonly blocks: readonly number[];
  /** Whether one of them found nothing to take. */
  readonly isIdle: boolean;
}

function measuresOf(
  shape: string,
  { small, large }: Pick<BacklogSize, 'small' | 'large'>,
  few: Cost | undefined,
  many: Cost | undefined,
): readonly Measure[] {
  const against = `${small} pending`;
  const measure = (what: string, unit: string, cost: (of: Cost) => number): Measure => {
    const [before, value] = [few, many].map((of) => (of === undefined ? Number.NaN : cost(of))) as [number, number];
    return {
      label: `${shape}, ${what} at ${large} pending`,
      value,
      unit,
      peers: { [against]: before },
      ratio: value / before,
      against,
      target: { atMost: 1.5 },
    };
  };
  return [
    measure('p95', 'ms', ({ ms }) => percentile(ms, 0.95)),
    // Now and then ANALYZE makes a claim plan anew and read the catalog for it; a mean would tell of that.
    measure('blocks of a claim, p95', 'blocks', ({ blocks }) => percentile(blocks, 0.95)),
  ];
}

/** What claims cost by shape, in front of one backlog that holds all shapes. What was claimed is given back, so that the backlog stays. */
async function claimCosts(bench: Bench, total: number): Promise<ReadonlyMap<string, Cost>> {
  const url = await createDatabase(bench.server.url);
  // One connection, whose counts can be asked for.
  const database = connectPg({ url, max: 1 });
  const store = openStore(database);
  await migrate(store);
  for (const shape of SHAPES) await fillShape(database, shape, total / SHAPES.length);
  const probe = await openProbe(url);
  await probe.settle();
  const costs = new Map<string, Cost>();
  for (const shape of SHAPES) {
    const claimer = await claimerOf(store, shape, bench.now);
    const cost = await timeClaims({ store, probe, claimer, heads: shape.heads }, bench);
    costs.set(shape.name, cost);
    bench.say(
      `  ${shape.name} at ${total}: p95 ${percentile(cost.ms, 0.95).toFixed(1)} ms, ${percentile(cost.blocks, 0.95).toFixed(0)} blocks`,
    );
  }
  await probe.close();
  await database.close();
  await dropDatabase(url);
  return costs;
}

const FILL_BATCH = 1_000;
const FAR_AWAY = new Date('2100-01-01T00:00:00Z');

async function fillShape(
  database: ReturnType<typeof connectPg>,
  { message, keyOf, isLater }: Shape,
  count: number,
): Promise<void> {
  await database.connection(async ({ native }) => {
    for (let from = 0; from < count; from += FILL_BATCH) {
      const numbers = Array.from({ length: Math.min(FILL_BATCH, count - from) }, (_, index) => from + index);
      const entries = numbers.map((n) => ({
        message,
        // The payload of every shape's only version.
        payload: { n, note: 'as small as a message gets' } as never,
        options: { recordKey: keyOf(n), ...(isLater(n) ? { dueAt: FAR_AWAY } : {}) },
      }));
      await native.query('begin');
      await enqueueMany(native, entries);
      await native.query('commit');
    }
  });
}

async function claimerOf(store: Store, { message }: Shape, now: () => number): Promise<Claimer> {
  const contracts = await registerContracts(store, [{ type: message.type, version: 1, kind: message.kind }], 'bench');
  return createClaimer(store, { owner: OWNER, contracts, leaseMs: LEASE_MS, now });
}

async function timeClaims(
  {
    store,
    probe,
    claimer,
    heads,
  }: {
    readonly store: Store;
    readonly probe: Probe;
    readonly claimer: Claimer;
    readonly heads: number | undefined;
  },
  { now, size }: Bench,
): Promise<Cost> {
  const { claims, window } = SIZES[size];
  const request = { limit: window, runLength: RUN_LENGTH, ...(heads === undefined ? {} : { heads }) };
  const ms: number[] = [];
  const blocks: number[] = [];
  let isIdle = false;
  // The first claims plan their statements and fill the cache.
  for (let claim = -WARM_UP; claim < claims; claim += 1) {
    const before = await blocksOf(store, probe);
    const startedAt = now();
    const answer = await claimer.claim({ ...request, timed: claim % TIMED_EVERY === 0 });
    if (claim >= 0) {
      ms.push(now() - startedAt);
      blocks.push((await blocksOf(store, probe)) - before);
      isIdle ||= answer.runs.length === 0;
    }
    await giveBack(store, answer);
  }
  return { ms, blocks, isIdle };
}

/** A session hands its counts in when it is told to, at the end of a transaction. */
async function blocksOf(store: Store, probe: Probe): Promise<number> {
  await store.database.query('select pg_stat_force_next_flush()');
  return probe.blocks();
}

/** A generic plan is cached after five custom ones. */
const WARM_UP = 8;
/** About as often as the dispatcher looks at timed rows under load. */
const TIMED_EVERY = 10;

async function giveBack(store: Store, { runs }: ClaimAnswer): Promise<void> {
  await settle(
    store.database,
    store,
    OWNER,
    runs.map(({ head, fence }) => ({ head, fence, delivered: [], next: { then: 'release' } as const })),
  );
}

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
  // Of fewer claims a p95 would be the one that plans anew, since ANALYZE has just run.
  quick: { large: 20_000, small: 2_500, claims: 60, window: 20 },
  tiny: { large: 10_000, small: 2_500, claims: 60, window: 20 },
};
const RUN_LENGTH = 50;
const OWNER = '00000000-0000-4000-8000-000000000001';
const LEASE_MS = 60_000;

export const backlogScenario: Scenario = {
  name: 'backlog',
  title: 'a claim in front of a large backlog',
  async run(bench) {
    const { large, small } = SIZES[bench.size];
    await using few = await openBacklog(bench, small);
    await using many = await openBacklog(bench, large);
    const costs = new Map<string, Costs>();
    for (const shape of SHAPES) costs.set(shape.name, await costsOf(shape, { few, many }, bench));
    const measures = SHAPES.flatMap(({ name }) => measuresOf(name, { small, large }, costs.get(name)));
    const [worst, ...others] = measures.sort((a, b) => b.ratio - a.ratio);
    if (worst === undefined) throw new TypeError('a backlog has shapes');
    const faults = [...costs]
      .filter(([, { few, many }]) => few.isIdle || many.isIdle)
      .map(([name]) => `${name}: a claim took nothing, so its cost says nothing`);
    return { measures: [worst, ...others], faults };
  },
};

/** What claims of one shape cost. */
interface Cost {
  readonly ms: number[];
  readonly blocks: number[];
  /** Whether one of them found nothing to take. */
  isIdle: boolean;
}

interface Costs {
  readonly few: Cost;
  readonly many: Cost;
}

function measuresOf(
  shape: string,
  { small, large }: Pick<BacklogSize, 'small' | 'large'>,
  costs: Costs | undefined,
): readonly Measure[] {
  const against = `${small} pending`;
  const measure = (what: string, unit: string, cost: (of: Cost) => number): Measure => {
    const [before, value] = costs === undefined ? [Number.NaN, Number.NaN] : [cost(costs.few), cost(costs.many)];
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

/** A database that is filled with all shapes. */
interface Backlog extends AsyncDisposable {
  readonly store: Store;
  readonly probe: Probe;
}

async function openBacklog({ server }: Bench, total: number): Promise<Backlog> {
  const url = await createDatabase(server.url);
  // One connection, whose counts can be asked for.
  const database = connectPg({ url, max: 1 });
  const store = openStore(database);
  await migrate(store);
  for (const shape of SHAPES) await fillShape(database, shape, total / SHAPES.length);
  const probe = await openProbe(url);
  await probe.settle();
  return {
    store,
    probe,
    async [Symbol.asyncDispose]() {
      await probe.close();
      await database.close();
      await dropDatabase(url);
    },
  };
}

/**
 * What claims of one shape cost in front of both backlogs: a claim here, a claim there, since the speed of a machine changes by more from one minute to
 * the next than the two may differ.
 */
async function costsOf(
  shape: Shape,
  { few, many }: { readonly few: Backlog; readonly many: Backlog },
  { now, size, say }: Bench,
): Promise<Costs> {
  const { claims, window } = SIZES[size];
  const costs: Costs = { few: { ms: [], blocks: [], isIdle: false }, many: { ms: [], blocks: [], isIdle: false } };
  const sides = [
    { backlog: few, claimer: await claimerOf(few.store, shape, now), cost: costs.few },
    { backlog: many, claimer: await claimerOf(many.store, shape, now), cost: costs.many },
  ];
  const request = {
    limit: window,
    runLength: RUN_LENGTH,
    ...(shape.heads === undefined ? {} : { heads: shape.heads }),
  };
  // The first claims plan their statements and fill the cache.
  for (let claim = -WARM_UP; claim < claims; claim += 1)
    for (const { backlog, claimer, cost } of sides) {
      const before = await blocksOf(backlog);
      const startedAt = now();
      const answer = await claimer.claim({ ...request, timed: claim % TIMED_EVERY === 0 });
      if (claim >= 0) note(cost, answer, { ms: now() - startedAt, blocks: (await blocksOf(backlog)) - before });
      // So that the backlog stays.
      await giveBack(backlog.store, answer);
    }
  const told = (cost: Cost): string =>
    `p95 ${percentile(cost.ms, 0.95).toFixed(1)} ms, ${percentile(cost.blocks, 0.95).toFixed(0)} blocks`;
  say(`  ${shape.name}: ${told(costs.few)}; in front of many: ${told(costs.many)}`);
  return costs;
}

function note(
  cost: Cost,
  { runs }: ClaimAnswer,
  { ms, blocks }: { readonly ms: number; readonly blocks: number },
): void {
  cost.ms.push(ms);
  cost.blocks.push(blocks);
  cost.isIdle ||= runs.length === 0;
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

/** A session hands its counts in when it is told to, at the end of a transaction. */
async function blocksOf({ store, probe }: Backlog): Promise<number> {
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

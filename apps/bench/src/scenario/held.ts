import pg from 'pg';
import { type Drained, drain } from '../measure/drain.ts';
import { entryOf, faultsOf } from '../measure/rounds.ts';
import type { Bench, Scenario } from './scenario.ts';

const SIZES: Readonly<Record<Bench['size'], { readonly count: number; readonly blocksCount: number }>> = {
  full: { count: 500_000, blocksCount: 20_000 },
  short: { count: 50_000, blocksCount: 5_000 },
  quick: { count: 10_000, blocksCount: 2_000 },
  tiny: { count: 1_000, blocksCount: 1_000 },
};

export const heldScenario: Scenario = {
  name: 'held',
  title: 'drain while another session holds an old snapshot',
  async run(bench) {
    const { count, blocksCount } = SIZES[bench.size];
    const entry = entryOf('waybill', { count, keys: count, bytes: 300 }, { before: holdSnapshot });
    const drained = await drain(bench.server, entry);
    const { first, last, share } = ends(drained);
    bench.say(
      `  ${Math.round(drained.rate)}/s in all; the first ${share} took ${first.toFixed(0)} ms, the last ${last.toFixed(0)} ms`,
    );
    const blocks = await blocksPerMessage(bench, blocksCount);
    return {
      measures: [
        {
          label: `the last ${share} of ${count}, against the first`,
          value: last,
          unit: 'ms',
          peers: { [`first ${share}`]: first },
          ratio: last / first,
          against: `the first ${share}`,
          target: { atMost: 1.5 },
        },
        {
          label: 'blocks a message',
          value: blocks.held,
          unit: 'blocks',
          peers: { 'without the snapshot': blocks.free },
          ratio: blocks.held / blocks.free,
          against: 'the same without the snapshot',
          target: { atMost: 1.5 },
        },
      ],
      faults: faultsOf(entry, drained),
    };
  },
};

/** Vacuum removes nothing that died after this. */
async function holdSnapshot(url: string): Promise<AsyncDisposable> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin isolation level repeatable read');
  await client.query('select count(*) from pg_class');
  return { [Symbol.asyncDispose]: () => client.end() };
}

function ends({ tallies }: Drained): { readonly first: number; readonly last: number; readonly share: number } {
  const [tally] = tallies;
  if (tally === undefined || tally.firstAt === null) throw new TypeError('a drain without a tally');
  const times = [tally.firstAt, ...tally.marks];
  const lapse = (mark: number): number => (times.at(mark) ?? Number.NaN) - (times.at(mark - 1) ?? Number.NaN);
  return { first: lapse(1), last: lapse(-1), share: tally.times.length / tally.marks.length };
}

async function blocksPerMessage(
  { server }: Bench,
  count: number,
): Promise<{ readonly held: number; readonly free: number }> {
  const entry = entryOf('waybill', { count, keys: count, bytes: 300 });
  const held = await drain(server, { ...entry, before: holdSnapshot });
  const free = await drain(server, entry);
  return { held: held.blocksPerMessage, free: free.blocksPerMessage };
}

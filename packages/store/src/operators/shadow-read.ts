import type { Readers } from '@waybill/contracts';

import { StoreError } from '../errors.ts';
import { type GateReport, verdictOf } from '../rollout/gate-report.ts';
import { judgeReading } from '../rollout/gates.ts';
import { UnreadTally } from '../rollout/shadow-read.ts';
import {
  BACKLOGS,
  type BacklogPage,
  type BacklogRange,
  type BacklogSource,
  readBacklogPage,
  readOldestOpen,
  wereReplayed,
} from '../statements/backlog-page.ts';
import { readCarried } from '../statements/carried.ts';
import { inIndexOrder } from '../statements/index-order.ts';
import { readRegistryFacts } from '../statements/known-versions.ts';
import type { Store } from '../store.ts';
import { type BuildManifest, MAX_COUNTED } from './gates.ts';

export interface ShadowReading {
  /** The candidate, in the operator's words. */
  readonly build: string;
  readonly readers: Pick<Readers, 'read'>;
  /** How many live records and how many dead letters at most: half from the newest, half from the oldest. `all`: every one. */
  readonly limit: number | 'all';
}

export interface ShadowReadReport extends GateReport {
  /** How many records went through the readers. */
  readonly read: number;
  /** Whether that was the whole backlog. */
  readonly complete: boolean;
}

// Payloads come whole: a page of the largest ones must fit in memory.
const PAGE = 200;
const EVERYTHING: BacklogRange = { above: '-1', below: '9223372036854775807' };
const MOVING = 'what is written after it was read is not covered: gate writers and gate rollback judge that';

/**
 * Reads what waits, and the dead letters that may be replayed, as the candidate would. Takes nothing, delivers nothing, changes nothing; each
 * page is a transaction of its own. Live records come first, so that one that dies meanwhile is met as a dead letter; where one is brought back to
 * life meanwhile, it cannot tell.
 */
export async function gateShadowRead(
  store: Store,
  { build, readers, limit }: ShadowReading,
): Promise<ShadowReadReport> {
  if (limit !== 'all' && !(Number.isSafeInteger(limit) && limit >= 1))
    throw new StoreError('STO_INVALID_OPTION', 'limit: expected a whole number from 1, or all');
  const tally = new UnreadTally();
  const most = limit === 'all' ? Number.POSITIVE_INFINITY : limit;
  const oldestOpen = await inIndexOrder(store, readOldestOpen);
  let complete = true;
  for (const backlog of BACKLOGS) complete = (await readBothEnds(store, { backlog, most, readers, tally })) && complete;
  // It was no dead letter any more when those were read, and not yet alive when the living were.
  const replayed = await inIndexOrder(store, (tx) => wereReplayed(tx, store, oldestOpen));
  if (replayed) complete = false;
  const blockers = tally.blockers(complete);
  return {
    gate: 'shadow-read',
    subject: build,
    verdict: blockers.length === 0 && !complete ? 'unknown' : verdictOf(blockers),
    blockers,
    notes: [
      complete
        ? `read all ${String(tally.read)}`
        : replayed
          ? `read ${String(tally.read)} while dead letters were replayed, and may have missed some of those; ask again`
          : `read ${String(tally.read)} and left the rest; all of them are read with --all`,
      MOVING,
    ],
    checkedAt: await now(store),
    read: tally.read,
    complete,
  };
}

/** The same by version alone: a manifest says which versions a build reads, and cannot read a payload. */
export async function gateShadowReadVersions(
  store: Store,
  { build, readers }: Pick<BuildManifest, 'build' | 'readers'>,
): Promise<ShadowReadReport> {
  const carried = await inIndexOrder(store, (tx) => readCarried(tx, store, {}, MAX_COUNTED));
  const blockers = judgeReading(readers, carried);
  const complete = carried.length === 0;
  return {
    gate: 'shadow-read',
    subject: build,
    verdict: blockers.length === 0 && !complete ? 'unknown' : verdictOf(blockers),
    blockers,
    notes: ['judged by version: no payload was read; the configuration of the build reads them', MOVING],
    checkedAt: await now(store),
    read: 0,
    complete,
  };
}

interface Walk extends Pick<ShadowReading, 'readers'> {
  readonly backlog: BacklogSource;
  readonly most: number;
  readonly tally: UnreadTally;
}

/** Whether nothing was left between the two ends. */
async function readBothEnds(store: Store, { backlog, most, readers, tally }: Walk): Promise<boolean> {
  let range = EVERYTHING;
  const read = async (order: BacklogPage['order'], limit: number): Promise<void> => {
    for (let left = limit; left > 0; left -= PAGE) {
      const page = await readPage(store, { backlog, range, order, most: Math.min(left, PAGE) });
      for (const record of page) {
        const result = readers.read(record);
        tally.add(record, result.status === 'ok' ? null : result);
      }
      const last = page.at(-1)?.place;
      if (last === undefined) return;
      range = order === 'newest' ? { ...range, below: last } : { ...range, above: last };
    }
  };
  await read('newest', Math.ceil(most / 2));
  await read('oldest', Math.floor(most / 2));
  return (await readPage(store, { backlog, range, order: 'oldest', most: 1 })).length === 0;
}

const readPage = (store: Store, page: BacklogPage): ReturnType<typeof readBacklogPage> =>
  inIndexOrder(store, (tx) => readBacklogPage(tx, store, page));

const now = async (store: Store): Promise<Date> => (await inIndexOrder(store, (tx) => readRegistryFacts(tx, store))).at;

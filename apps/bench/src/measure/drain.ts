import { createDatabase, dropDatabase, type LocalPostgres } from '@waybill/local-postgres';
import type { BrokerAddress } from '../broker/broker.ts';
import type { ContenderName } from '../contender/contenders.ts';
import type { Load } from '../load/sample.ts';
import { type Consumer, startConsumer } from '../process/consumer.ts';
import type { Work } from '../process/handler.ts';
import { runTask } from '../process/run-task.ts';
import type { Tally } from '../process/tally.ts';
import { openProbe, type Probe } from './probe.ts';
import { serverCpuMs } from './process-cpu.ts';
import { type Verdict, verdictOf } from './verdict.ts';

/** What one drain of a filled queue has shown. */
export interface Drained {
  /** Messages a second, from the first to the last. */
  readonly rate: number;
  readonly fillRate: number;
  readonly walBytesPerMessage: number;
  /** From before the fill to after the settlement of everything. */
  readonly walBytesWithFill: number;
  /** CPU of the consuming processes. */
  readonly cpuMicrosPerMessage: number;
  /** CPU of PostgreSQL meanwhile, its background processes too. */
  readonly serverCpuMicrosPerMessage: number;
  readonly verdict: Verdict;
  /** Transactions that PostgreSQL committed meanwhile: how far statements are shared between messages. */
  readonly statementsPerMessage: number;
  /** Blocks that PostgreSQL looked at meanwhile. */
  readonly blocksPerMessage: number;
  readonly deadlocks: number;
  /** Statements that failed, whoever heard of it. */
  readonly rollbacks: number;
  readonly tallies: readonly Tally[];
}

export interface DrainRequest {
  readonly contender: ContenderName;
  readonly load: Load;
  readonly work?: Work;
  /** Waybill alone: messages go to this broker, and count when it has acknowledged them. */
  readonly publishTo?: BrokerAddress;
  /** Consuming processes; one unless more are asked for. */
  readonly processes?: number;
  /** Something to do between the fill and the drain. */
  readonly before?: (url: string) => Promise<AsyncDisposable>;
  /** Messages of a key that is stuck, filled in before the load. */
  readonly stuck?: number;
}

const NOTHING: Work = { kind: 'nothing' };
/** A contender that hands out nothing for so long has stopped. */
const STALLED_MS = 60_000;

/** Fills a database of its own and measures how it is drained. */
export async function drain(server: LocalPostgres, request: DrainRequest): Promise<Drained> {
  const url = await createDatabase(server.url);
  try {
    return await drainDatabase({ url, pid: server.pid }, request);
  } finally {
    await dropDatabase(url);
  }
}

async function drainDatabase(
  { url, pid }: { readonly url: string; readonly pid: number | undefined },
  { contender, load, work = NOTHING, processes = 1, before, stuck, publishTo }: DrainRequest,
): Promise<Drained> {
  await runTask({ kind: 'set-up', contender, url });
  const probe = await openProbe(url);
  const walBeforeFill = await probe.walBytes();
  if (stuck !== undefined) await runTask({ kind: 'fill-stuck', contender, url, load, count: stuck });
  const fillRate = await runTask({ kind: 'fill', contender, url, load });
  const walOfFill = (await probe.walBytes()) - walBeforeFill;
  await probe.settle();
  const surroundings = await before?.(url);
  const start = await countsOf(probe, url);
  const walBefore = await probe.walBytes();
  const cpuBefore = await serverCpuMs(pid);
  const consumers = Array.from({ length: processes }, () =>
    startConsumer(contender, url, { expected: load.count, work, ...(publishTo ? { publishTo } : {}) }),
  );
  await untilHandled(consumers, load.count);
  const tallies = await Promise.all(consumers.map((consumer) => consumer.stop()));
  const serverCpu = (await serverCpuMs(pid)) - cpuBefore;
  const walOfDrain = (await probe.walBytes()) - walBefore;
  await surroundings?.[Symbol.asyncDispose]();
  const after = await countsOf(probe, url);
  const troubles = { deadlocks: await probe.deadlocks(), rollbacks: await probe.rollbacks() };
  await probe.close();
  return {
    ...timesOf(tallies, load.count),
    ...troubles,
    statementsPerMessage: (after.statements - start.statements) / load.count,
    blocksPerMessage: (after.blocks - start.blocks) / load.count,
    fillRate,
    serverCpuMicrosPerMessage: (serverCpu * 1_000) / load.count,
    walBytesPerMessage: walOfDrain / load.count,
    walBytesWithFill: (walOfFill + walOfDrain) / load.count,
    verdict: verdictOf(tallies, load.count),
    tallies,
  };
}

async function countsOf(probe: Probe, url: string): Promise<{ readonly statements: number; readonly blocks: number }> {
  return { statements: await probe.transactionsOf(url), blocks: await probe.blocks() };
}

function timesOf(tallies: readonly Tally[], count: number): Pick<Drained, 'rate' | 'cpuMicrosPerMessage'> {
  const firstAt = Math.min(...tallies.map((tally) => tally.firstAt ?? Number.POSITIVE_INFINITY));
  const lastAt = Math.max(...tallies.map((tally) => tally.lastAt ?? 0));
  const cpuMs = tallies.reduce((sum, tally) => sum + tally.cpuMs, 0);
  return { rate: (count * 1_000) / (lastAt - firstAt), cpuMicrosPerMessage: (cpuMs * 1_000) / count };
}

/** Waits until the consumers have handled `count` messages between them. */
export async function untilHandled(consumers: readonly Consumer[], count: number): Promise<void> {
  const handled = (): number => consumers.reduce((sum, consumer) => sum + consumer.handled(), 0);
  while (handled() < count) {
    const stalled = AbortSignal.timeout(STALLED_MS);
    const moved = await Promise.race([...consumers.map((consumer) => consumer.progress()), aborted(stalled)]);
    if (moved === STALLED)
      throw new Error(`nothing was handled for ${STALLED_MS} ms after ${handled()} of ${count} messages`);
  }
}

const STALLED = Symbol('stalled');

function aborted(signal: AbortSignal): Promise<typeof STALLED> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(STALLED), { once: true }));
}

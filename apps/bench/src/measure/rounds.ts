import type { ContenderName } from '../contender/contenders.ts';
import type { Load } from '../load/sample.ts';
import type { Bench } from '../scenario/scenario.ts';
import { median, spread } from '../statistics/statistics.ts';
import { type Drained, type DrainRequest, drain } from './drain.ts';

/** A contender in a comparison of drains. The slow ones get a smaller load: their rate is the same, and everybody's time is short. */
export interface Entry extends DrainRequest {
  readonly name: string;
}

export interface Rounds {
  readonly drained: ReadonlyMap<string, readonly Drained[]>;
  /** Median rate by entry. */
  readonly rates: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

/** Drains entry after entry, round after round (A B C A B C). */
export async function drainInRounds(bench: Bench, entries: readonly Entry[], rounds: number): Promise<Rounds> {
  const drained = new Map<string, Drained[]>(entries.map(({ name }) => [name, []]));
  const faults: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const entry of entries) {
      const result = await drain(bench.server, entry);
      drained.get(entry.name)?.push(result);
      faults.push(...faultsOf(entry, result));
      bench.say(`  ${entry.name}, round ${round}: ${Math.round(result.rate)}/s${noteOf(result)}`);
    }
  }
  const rates = Object.fromEntries(
    [...drained].map(([name, results]) => [name, median(results.map(({ rate }) => rate))]),
  );
  return { drained, rates, faults };
}

function noteOf({ cpuMicrosPerMessage, serverCpuMicrosPerMessage, walBytesPerMessage, verdict }: Drained): string {
  const cpu = `CPU ${cpuMicrosPerMessage.toFixed(0)} + ${serverCpuMicrosPerMessage.toFixed(0)} us`;
  const odd = Object.entries(verdict).filter(([, count]) => count > 0);
  return `, ${cpu}, WAL ${walBytesPerMessage.toFixed(0)} B a message${odd.map(([what, count]) => `, ${what} ${count}`).join('')}`;
}

/** What is a fault of ours. Peers that lose or swap messages are told about, and judged by their own users. */
export function faultsOf(
  { name, contender, load }: Pick<Entry, 'name' | 'contender' | 'load'>,
  { verdict }: Pick<Drained, 'verdict'>,
): readonly string[] {
  if (contender !== 'waybill') return [];
  return [
    ...(verdict.lost > 0 ? [`${name}: ${verdict.lost} of ${load.count} messages were lost`] : []),
    ...(verdict.outOfOrder > 0 ? [`${name}: ${verdict.outOfOrder} messages came out of order`] : []),
  ];
}

export function entryOf(
  contender: ContenderName,
  load: Load,
  rest: Omit<Partial<Entry>, 'contender' | 'load'> = {},
): Entry {
  return { name: contender, contender, load, ...rest };
}

export function ratesOf(rounds: Rounds, name: string): readonly number[] {
  return (rounds.drained.get(name) ?? []).map(({ rate }) => rate);
}

export function spreadOf(rounds: Rounds, name: string): number {
  return spread(ratesOf(rounds, name));
}

/** Without our own. */
export function peersOf(figures: Readonly<Record<string, number>>, own = 'waybill'): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(figures).filter(([name]) => name !== own));
}

import { nameOf, reads } from '../build.ts';
import type { GateAnswer, SimulatedManifest, VersionName, VersionsByType } from '../target.ts';
import { isLeased, type Ledger, type Message } from './ledger.ts';
import type { Registry } from './registry.ts';

/** What a gate has to answer: its verdict, and how many records of which version and state are in the way. */
export interface ExpectedAnswer {
  readonly verdict: GateAnswer['verdict'];
  /** As `type@version state count`, in order. */
  readonly records: readonly string[];
}

const RECORD_STATES: readonly string[] = ['pending', 'processing', 'dead-letter'];

/** A gate's answer in the same form. */
export function answered({ verdict, blockers }: GateAnswer): ExpectedAnswer {
  const records = blockers.filter(({ state }) => RECORD_STATES.includes(state));
  return {
    verdict,
    records: records.map((blocker) => `${nameOf(blocker)} ${blocker.state} ${String(blocker.count)}`).sort(),
  };
}

export function writersAnswer({ writers }: SimulatedManifest, registry: Registry): ExpectedAnswer {
  const blocked = names(writers).some(
    (name) => registry.retired.has(nameOf(name)) || registry.blockers(name).length > 0,
  );
  return { verdict: registry.everRegistered ? (blocked ? 'unsafe' : 'safe') : 'unknown', records: [] };
}

export function rollbackAnswer({ readers }: SimulatedManifest, { ledger, registry }: Facts): ExpectedAnswer {
  const records = counted(
    ledger.carried().filter((message) => !reads(readers, message)),
    registry.now,
  );
  const mayCome = [...registry.known.values()].some(
    (name) => !reads(readers, name) && registry.mayBeWritten(name, true),
  );
  return { verdict: records.length > 0 ? 'unsafe' : mayCome ? 'unknown' : 'safe', records };
}

export function retireAnswer(name: VersionName, { ledger, registry }: Facts): ExpectedAnswer {
  const records = counted(
    ledger.carried().filter((message) => nameOf(message) === nameOf(name)),
    registry.now,
  );
  const successor = [...registry.known.values()].some(
    ({ type, version }) => type === name.type && version > name.version && registry.mayBeWritten({ type, version }),
  );
  if (!registry.known.has(nameOf(name))) return { verdict: 'unknown', records };
  return { verdict: records.length === 0 && successor ? 'safe' : 'unsafe', records };
}

/** What a verdict follows from. */
interface Facts {
  readonly ledger: Ledger;
  readonly registry: Registry;
}

function counted(messages: readonly Message[], now: number): readonly string[] {
  const counts = new Map<string, number>();
  for (const message of messages) {
    const state = message.state === 'dead' ? 'dead-letter' : isHead(message, now) ? 'processing' : 'pending';
    const name = `${nameOf(message)} ${state}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${name} ${String(count)}`).sort();
}

/** The lease of a run is on its head; the rest of it waits. */
const isHead = (message: Message, now: number): boolean =>
  isLeased(message, now) && message.lease?.head === message.position;

const names = (versions: VersionsByType): readonly VersionName[] =>
  Object.entries(versions).flatMap(([type, numbers]) => numbers.map((version) => ({ type, version })));

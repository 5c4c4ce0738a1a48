import type { Connection } from '../executor.ts';
import { type Forecast, forecast } from '../rollout/forecast.ts';
import {
  type GateBlocker,
  type GateReport,
  includes,
  namesOf,
  type VersionsByType,
  verdictOf,
} from '../rollout/gate-report.ts';
import { judgeRetirement, judgeRollback, judgeWriters, underWayBlocker, type VersionTraces } from '../rollout/gates.ts';
import type { VersionName } from '../rollout/standing.ts';
import { readCarried } from '../statements/carried.ts';
import { areVersionsEntered, openVersions, readRevision } from '../statements/contract-retire.ts';
import { inIndexOrder } from '../statements/index-order.ts';
import { readKnownVersions, readPace, readRegistryFacts } from '../statements/known-versions.ts';
import { liveWritersOf } from '../statements/writer-registry.ts';
import type { Store } from '../store.ts';
import { LIVE_WRITER_MS } from '../writer/start-writer.ts';

/** Nobody acts differently on 10,000 and on 1,000,000 that are in the way. */
export const MAX_COUNTED = 10_000;

/** A build, as its manifest describes it. */
export interface BuildManifest {
  readonly build: string;
  readonly readers: VersionsByType;
  readonly writers: VersionsByType;
}

export interface DrainingReport extends GateReport {
  /** For each version in the way: when it will be gone. */
  readonly forecast: readonly Forecast[];
}

/** May a build's writers be deployed? Only when every running and declared build reads what they write. */
export async function gateWriters(store: Store, { build, writers }: BuildManifest): Promise<GateReport> {
  return inIndexOrder(store, async (tx) => {
    const { at, everRegistered } = await readRegistryFacts(tx, store);
    const blockers = judgeWriters(writers, await readKnownVersions(tx, store, namesOf(writers)));
    const notes = [
      ...(everRegistered ? [] : ['no dispatcher has ever registered: nobody is known to read anything']),
      // The manifest of a dispatcher that only delivers, where that of the services was meant, would let everything pass.
      ...(namesOf(writers).length > 0 ? [] : ['the manifest names nothing that is written: take that of the services']),
    ];
    const verdict = notes.length === 0 ? verdictOf(blockers) : 'unknown';
    return { gate: 'writers', subject: build, verdict, blockers, notes, checkedAt: at };
  });
}

/** Can a build take over from what runs now, without leaving a record that nobody reads? */
export async function gateRollback(store: Store, { build, readers }: BuildManifest): Promise<DrainingReport> {
  return inIndexOrder(store, async (tx) => {
    // Before the first dispatcher ever, a version may be entered by whoever writes it.
    const entered = await areVersionsEntered(tx, store);
    // What may be written comes first, then who is still writing, then what is written: a version that is shut by then cannot turn up any more.
    const known = await readKnownVersions(tx, store);
    const open = await openVersions(
      tx,
      store,
      known.filter((version) => !includes(readers, version)),
    );
    const carried = await readCarried(tx, store, {}, MAX_COUNTED);
    const blockers = judgeRollback(readers, { carried, known, open });
    const report = await drainingReport(tx, store, blockers);
    const common = { ...report, gate: 'rollback', subject: build } as const;
    return entered && report.verdict === 'safe'
      ? { ...common, verdict: 'unknown', notes: [ENTERED] }
      : { ...common, notes: [] };
  });
}

/** Can the reader of a version be removed? */
export async function gateRetire(
  store: Store,
  subject: VersionName,
): Promise<DrainingReport & { readonly revision: number | null }> {
  return inIndexOrder(store, async (tx) => {
    const found = await readRevision(tx, store, subject);
    // Who is still writing comes before what is written: a version that is shut by then cannot turn up any more.
    const open = await openVersions(tx, store, [subject]);
    const against = judgeRetirement(subject, await readTraces(tx, store, subject));
    const blockers = [...against, ...open.map(underWayBlocker)];
    const report = await drainingReport(tx, store, blockers);
    const name = `${subject.type}@${String(subject.version)}`;
    const common = { gate: 'retire', subject: name, revision: found?.revision ?? null } as const;
    if (found === null) return { ...common, ...report, verdict: 'unknown', notes: [`the store does not know ${name}`] };
    // Whoever falls back to the version writes it for certain: that is no mere possibility here. An open transaction is.
    const verdict = against.length > 0 ? 'unsafe' : open.length > 0 ? 'unknown' : 'safe';
    return { ...common, ...report, verdict, notes: found.retired ? [`${name} is retired already`] : [UNREGISTERED] };
  });
}

/** What still speaks for a version: its records, what may be written instead, and who writes it. */
export async function readTraces(tx: Connection, store: Store, subject: VersionName): Promise<VersionTraces> {
  return {
    writers: await liveWritersOf(tx, store, subject, LIVE_WRITER_MS),
    known: await readKnownVersions(tx, store),
    carried: await readCarried(tx, store, subject, MAX_COUNTED),
  };
}

const ENTERED = 'a transaction that is still open enters a version that is not known yet, or alters one; look again';
const UNREGISTERED = 'services and scripts that did not register are invisible here';

async function drainingReport(
  tx: Connection,
  store: Store,
  blockers: readonly GateBlocker[],
): Promise<Pick<DrainingReport, 'verdict' | 'blockers' | 'forecast' | 'checkedAt'>> {
  const pace = await readPace(tx, store);
  const { at } = await readRegistryFacts(tx, store);
  const waiting = blockers.filter(({ state }) => state === 'pending');
  return {
    verdict: verdictOf(blockers),
    blockers,
    forecast: waiting.map(({ type, version, count, capped }) =>
      forecast({ type, version, pending: count, capped }, pace.get(`${type}@${String(version)}`) ?? 0),
    ),
    checkedAt: at,
  };
}

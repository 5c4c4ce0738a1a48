import { declareReader, withdrawReader } from '../operators/declare-reader.ts';
import { discard } from '../operators/discard.ts';
import { type BuildManifest, type DrainingReport, gateRetire, gateRollback, gateWriters } from '../operators/gates.ts';
import { replay } from '../operators/replay.ts';
import { type RetireResult, retireVersion } from '../operators/retire.ts';
import { allowWrites, pinVersion, unpinVersion } from '../operators/version-pin.ts';
import type { GateReport, VersionsByType } from '../rollout/gate-report.ts';
import type { VersionName } from '../rollout/standing.ts';
import { readTime } from '../statements/simulation.ts';
import type { Store } from '../store.ts';

export interface SimulatedOperator {
  gateWriters(manifest: BuildManifest): Promise<GateReport>;
  gateRollback(manifest: BuildManifest): Promise<DrainingReport>;
  gateRetire(name: VersionName): Promise<DrainingReport & { readonly revision: number | null }>;
  retire(name: VersionName, expectedRevision: number): Promise<RetireResult['status']>;
  declare(build: string, reads: VersionsByType, forMs: number): Promise<string>;
  withdraw(id: string): Promise<void>;
  pin(name: VersionName, percent: number): Promise<void>;
  unpin(type: string): Promise<void>;
  allow(name: VersionName, forMs: number): Promise<void>;
  replay(id: string): Promise<boolean>;
  discard(id: string): Promise<boolean>;
}

const BY = { actor: 'simulation', reason: 'a step of its schedule' };

export function operatorPort(store: Store): SimulatedOperator {
  const inMs = async (ms: number): Promise<Date> => new Date((await readTime(store.database)) + ms);
  return {
    gateWriters: (manifest) => gateWriters(store, manifest),
    gateRollback: (manifest) => gateRollback(store, manifest),
    gateRetire: (name) => gateRetire(store, name),
    retire: async (name, expectedRevision) => (await retireVersion(store, { ...name, expectedRevision }, BY)).status,
    declare: async (build, reads, forMs) => declareReader(store, { build, reads, until: await inMs(forMs) }, BY),
    async withdraw(id) {
      await withdrawReader(store, id, BY);
    },
    async pin(name, percent) {
      await pinVersion(store, { ...name, percent }, BY);
    },
    async unpin(type) {
      await unpinVersion(store, type, BY);
    },
    allow: async (name, forMs) => allowWrites(store, { ...name, until: await inMs(forMs) }, BY),
    replay: async (id) => (await replay(store, id, BY)).status === 'replayed',
    discard: async (id) => (await discard(store, id, BY)).status === 'done',
  };
}

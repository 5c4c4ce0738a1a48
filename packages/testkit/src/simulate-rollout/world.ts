import { type KnownBuild, knownBuild, type SimulatedBuild } from './build.ts';
import { Ledger } from './model/ledger.ts';
import { Registry } from './model/registry.ts';
import { type Random, seededRandom } from './random.ts';
import type { SimulatedDispatcher } from './simulated-dispatcher.ts';
import type { OpenTransaction, SimulatedService } from './simulated-service.ts';
import type { RolloutTarget, VersionsByType } from './target.ts';

/** Makes a payload of the newest version of a message: the same one for the same seed. */
export type MakePayload = (message: KnownBuild['messages'][number], seed: number) => unknown;

/** What a gate has called safe, for as long as what it rests on lasts. */
export interface SafeRollback {
  readonly build: string;
  readonly reads: VersionsByType;
  /** The declaration that keeps writers to it. */
  readonly declaration: string;
}

/** How often something happened, so that a test can tell that its schedules were about something. */
export type Tally = Map<string, number>;

/** All that one run of a schedule has: the store under simulation, what stands in it by the model, and who acts. */
export class World {
  readonly target: RolloutTarget;
  readonly builds: ReadonlyMap<string, KnownBuild>;
  readonly payload: MakePayload;
  readonly random: Random;
  readonly ledger: Ledger = new Ledger();
  readonly registry: Registry = new Registry();
  readonly dispatchers: SimulatedDispatcher[] = [];
  readonly services: SimulatedService[] = [];
  readonly transactions: OpenTransaction[] = [];
  readonly safeRollbacks: SafeRollback[] = [];
  readonly tally: Tally = new Map();
  /** When who reads and writes what has last changed: what services have heard before is older. */
  registryChangedAt = 0;
  /** Whether a dispatcher has ever gone silent: only then can a record be suspected of it. */
  lostOne = false;

  constructor(parts: {
    readonly target: RolloutTarget;
    readonly builds: readonly SimulatedBuild[];
    readonly payload: MakePayload;
    readonly seed: number;
  }) {
    this.target = parts.target;
    this.builds = new Map(parts.builds.map((build) => [build.build, knownBuild(build, parts.target)]));
    this.payload = parts.payload;
    this.random = seededRandom(parts.seed);
  }

  get now(): number {
    return this.registry.now;
  }

  build(name: string): KnownBuild {
    const build = this.builds.get(name);
    if (build === undefined) throw new TypeError(`the schedule names the build ${name}, which is not among the builds`);
    return build;
  }

  count(what: string): void {
    this.tally.set(what, (this.tally.get(what) ?? 0) + 1);
  }

  registryChanges(): void {
    this.registryChangedAt = this.now;
  }
}

/** The nth, counted round and round. */
export function nth<T>(items: readonly T[], n: number): T | undefined {
  return items[n % Math.max(1, items.length)];
}

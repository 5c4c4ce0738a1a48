import type { VersionName } from './standing.ts';

export type GateName = 'writers' | 'rollback' | 'retire' | 'shadow-read';
/** `unknown`: nothing was found that speaks against it, and yet it cannot be said to be safe. */
export type GateVerdict = 'safe' | 'unsafe' | 'unknown';

/** One kind of thing that stands in the way. */
export interface GateBlocker extends VersionName {
  /**
   * - `pending`, `processing`, `dead-letter`: records in this state.
   * - `no-reader`: running or declared builds that cannot read the version; the samples are their registrations.
   * - `writer`: running services that write the version as their newest; the samples are their registrations.
   * - `writable`: nothing yet, but the version may be written at any moment.
   * - `retired`: the version is retired.
   */
  readonly state: 'pending' | 'processing' | 'dead-letter' | 'no-reader' | 'writer' | 'writable' | 'retired';
  /** At least so many, where `capped`. */
  readonly count: number;
  readonly capped: boolean;
  /** By the database's clock; 0 where nothing has an age. */
  readonly oldestAgeSeconds: number;
  readonly sampleIds: readonly string[];
  /** A sentence for a person. */
  readonly detail: string;
}

export interface GateReport {
  readonly gate: GateName;
  /** What it is about: a build, or `type@version`. */
  readonly subject: string;
  readonly verdict: GateVerdict;
  readonly blockers: readonly GateBlocker[];
  /** What an operator should know besides. */
  readonly notes: readonly string[];
  /** When, by the database's clock. */
  readonly checkedAt: Date;
}

/** Type to versions, as a manifest says what a build reads or writes. */
export type VersionsByType = Readonly<Record<string, readonly number[]>>;

export function includes(versions: VersionsByType, { type, version }: VersionName): boolean {
  // Own members only: a type may be named like a member of every object.
  return Object.hasOwn(versions, type) && (versions[type] ?? []).includes(version);
}

export function namesOf(versions: VersionsByType): readonly VersionName[] {
  return Object.entries(versions).flatMap(([type, numbers]) => numbers.map((version) => ({ type, version })));
}

/** What is only `writable` may never come: that alone makes nothing unsafe, and nothing safe. */
export function verdictOf(blockers: readonly GateBlocker[]): GateVerdict {
  if (blockers.length === 0) return 'safe';
  return blockers.every(({ state }) => state === 'writable') ? 'unknown' : 'unsafe';
}

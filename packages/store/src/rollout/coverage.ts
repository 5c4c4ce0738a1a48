import type { Carried } from './gates.ts';
import type { VersionName } from './standing.ts';

/** One version of the coverage matrix. */
export interface CoverageRow extends VersionName {
  /** Running instances by build. */
  readonly builds: Readonly<Record<string, number>>;
  /** Records that have not ended, dead letters aside. At least so many, where `capped`. */
  readonly pending: number;
  readonly deadLetters: number;
  readonly capped: boolean;
  /** `no-reader`: nothing that runs reads it. `single-reader`: one instance alone does. Null: two or more do. */
  readonly warning: 'no-reader' | 'single-reader' | null;
}

export function coverageOf(
  known: readonly VersionName[],
  readings: readonly (VersionName & { readonly build: string; readonly instances: number })[],
  carried: readonly Carried[],
): readonly CoverageRow[] {
  return known.map(({ type, version }) => {
    const of = <T extends VersionName>(rows: readonly T[]): readonly T[] =>
      rows.filter((row) => row.type === type && row.version === version);
    const builds = of(readings);
    const parts = of(carried);
    const sum = (dead: boolean): number =>
      parts.reduce((total, { state, count }) => total + ((state === 'dead-letter') === dead ? count : 0), 0);
    return {
      type,
      version,
      builds: Object.fromEntries(builds.map(({ build, instances }) => [build, instances])),
      pending: sum(false),
      deadLetters: sum(true),
      capped: parts.some(({ capped }) => capped),
      warning: warningOf(builds.reduce((total, { instances }) => total + instances, 0)),
    };
  });
}

function warningOf(instances: number): CoverageRow['warning'] {
  if (instances === 0) return 'no-reader';
  return instances === 1 ? 'single-reader' : null;
}

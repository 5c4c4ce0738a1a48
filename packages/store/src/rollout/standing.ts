/** A message version by name. */
export interface VersionName {
  readonly type: string;
  readonly version: number;
}

/** Who cannot read a version. */
export interface Blocker {
  /**
   * - `dispatcher`: one that runs, or has gone silent only a short while ago.
   * - `last-seen`: no dispatcher that knows the type is there; this one was among the last.
   * - `declared`: a declared reader or rollback target.
   * - `nobody`: there are builds, but none has ever read any version of the type.
   */
  readonly source: 'dispatcher' | 'last-seen' | 'declared' | 'nobody';
  /** Of the registration; empty for `nobody`. */
  readonly id: string;
  readonly build: string;
}

/** What stands against writing one version. */
export interface Standing {
  readonly retired: boolean;
  /** An operator has said that it may be written although somebody cannot read it. */
  readonly overridden: boolean;
  readonly blockers: readonly Blocker[];
}

/** An operator's ceiling: keys below the percentage are written up to the version, the others one below. */
export interface Pin {
  readonly version: number;
  readonly percent: number;
}

export interface TypeStanding {
  readonly pin: Pin | null;
  readonly versions: ReadonlyMap<number, Standing>;
}

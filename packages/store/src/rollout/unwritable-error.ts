import type { WhenUnreadable } from '@waybill/contracts';

import { StoreError } from '../errors.ts';
import type { Blocker, VersionName } from './standing.ts';
import type { WriteRefusal } from './written-version.ts';

/** A message that may not be written now, since somebody who would have to read it cannot. Nothing was written; the transaction is as it was. */
export class UnwritableVersionError extends StoreError {
  readonly type: string;
  /** The version that was refused: the newest one that the caller knows. */
  readonly version: number;
  readonly why: WriteRefusal['why'];
  /** The builds that cannot read it; empty unless `why` is `unreadable`. */
  readonly blockers: readonly Blocker[];

  constructor({ type, version }: VersionName, policy: WhenUnreadable, refusal: WriteRefusal) {
    super('STO_VERSION_UNWRITABLE', `${type}@${String(version)} may not be written: ${reasonOf(refusal, policy)}`);
    this.type = type;
    this.version = version;
    this.why = refusal.why;
    this.blockers = refusal.why === 'unreadable' ? refusal.blockers : [];
  }
}

function reasonOf(refusal: WriteRefusal, policy: WhenUnreadable): string {
  switch (refusal.why) {
    case 'retired':
      return 'it is retired';
    case 'pinned':
      return `an operator holds the type at version ${String(refusal.ceiling)}${policy === 'downcast' ? ', and no downcast leads there' : ''}`;
    case 'unreadable':
      return `${describeBlockers(refusal.blockers)}; ${ADVICE[policy]}`;
  }
}

const ADVICE: Readonly<Record<WhenUnreadable, string>> = {
  downcast: 'no downcast leads to a version that all can read',
  refuse: 'the caller wants no older version',
  'write-anyway': 'no operator has allowed to write it anyway',
};

/** Names the builds, each once. */
export function describeBlockers(blockers: readonly Blocker[]): string {
  const parts = blockers.map(({ source, build, id }) =>
    source === 'nobody' ? 'no build has ever read this type' : `${build} (${SOURCES[source]} ${id}) cannot read it`,
  );
  return [...new Set(parts)].join(', ');
}

const SOURCES: Readonly<Record<Exclude<Blocker['source'], 'nobody'>, string>> = {
  dispatcher: 'dispatcher',
  'last-seen': 'last seen as dispatcher',
  declared: 'declared reader',
};

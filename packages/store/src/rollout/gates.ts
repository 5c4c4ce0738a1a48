import { type GateBlocker, includes, type VersionsByType } from './gate-report.ts';
import type { Blocker, VersionName } from './standing.ts';
import { describeBlockers } from './unwritable-error.ts';

/** Records of one version in one state. */
export interface Carried extends VersionName {
  readonly state: 'pending' | 'processing' | 'dead-letter';
  readonly count: number;
  readonly capped: boolean;
  readonly oldestAgeSeconds: number;
  readonly sampleIds: readonly string[];
}

/** A version that the store knows, and what stands against writing it now. */
export interface KnownVersion extends VersionName {
  readonly retired: boolean;
  /** No key of the type may be written in it, by an operator's pin. */
  readonly pinnedBelow: boolean;
  /** An operator has said that it may be written although somebody cannot read it. */
  readonly overridden: boolean;
  readonly blockers: readonly Blocker[];
}

const NOTHING = { count: 0, capped: false, oldestAgeSeconds: 0, sampleIds: [] } as const;

function carriedBlocker(carried: Carried, what: string): GateBlocker {
  const { type, version, state, count, capped } = carried;
  return {
    ...carried,
    detail: `${capped ? 'at least ' : ''}${String(count)} ${state} of ${type}@${String(version)} ${what}`,
  };
}

export function mayBeWritten({ retired, pinnedBelow, blockers }: KnownVersion): boolean {
  return !retired && !pinnedBelow && blockers.length === 0;
}

/** Whether it may come about, the operator's word that it may be written anyway included. */
function mayCome(version: KnownVersion): boolean {
  return mayBeWritten(version.overridden ? { ...version, blockers: [] } : version);
}

/** May every version that a build writes be written now? */
export function judgeWriters(writers: VersionsByType, known: readonly KnownVersion[]): readonly GateBlocker[] {
  return known
    .filter((version) => includes(writers, version))
    .flatMap(({ type, version, retired, blockers }): readonly GateBlocker[] => {
      const name = { type, version };
      if (retired) return [{ ...name, ...NOTHING, state: 'retired', detail: `${type}@${String(version)} is retired` }];
      if (blockers.length === 0) return [];
      const sampleIds = blockers.map(({ id }) => id).filter((id) => id !== '');
      return [
        {
          ...name,
          ...NOTHING,
          state: 'no-reader',
          count: blockers.length,
          sampleIds,
          detail: describeBlockers(blockers),
        },
      ];
    });
}

/** Which of the records that have not ended would a build that reads these versions leave unread? */
export function judgeReading(reads: VersionsByType, carried: readonly Carried[]): readonly GateBlocker[] {
  return carried.filter((part) => !includes(reads, part)).map((part) => carriedBlocker(part, 'would have no reader'));
}

/** What a look at the store found. */
export interface Backlog {
  readonly carried: readonly Carried[];
  readonly known: readonly KnownVersion[];
  /** Versions that a transaction which is still open may have written. */
  readonly open: readonly VersionName[];
}

/** Can a build that reads these versions take over everything that has not ended, and all that may yet be written? */
export function judgeRollback(reads: VersionsByType, { carried, known, open }: Backlog): readonly GateBlocker[] {
  const stranded = judgeReading(reads, carried);
  const unread = known.filter((version) => !includes(reads, version));
  const written = unread.filter(mayCome).map((version) => writableBlocker(version, wayIn(version)));
  const underWay = unread.filter((version) => !mayCome(version) && includesName(open, version)).map(underWayBlocker);
  return [...stranded, ...written, ...underWay];
}

/** A transaction that is still open may have written the version. */
export function underWayBlocker(name: VersionName): GateBlocker {
  return writableBlocker(name, 'may just be written by a transaction that is still open; look again');
}

function wayIn(version: KnownVersion): string {
  return mayBeWritten(version)
    ? 'may be written at any moment; declare the target, and writers stop'
    : 'may be written at any moment: an operator has allowed it, until that ends';
}

function writableBlocker({ type, version }: VersionName, what: string): GateBlocker {
  return { type, version, ...NOTHING, state: 'writable', detail: `${type}@${String(version)} ${what}` };
}

function writersBlocker({ type, version }: VersionName, writers: readonly LiveWriter[]): GateBlocker {
  const builds = [...new Set(writers.map(({ build }) => build))];
  return {
    ...{ type, version, ...NOTHING },
    state: 'writer',
    count: writers.length,
    sampleIds: writers.map(({ id }) => id),
    detail: `running services write it and would be refused: ${builds.join(', ')}`,
  };
}

function includesName(names: readonly VersionName[], { type, version }: VersionName): boolean {
  return names.some((name) => name.type === type && name.version === version);
}

/** A running service that writes a version as its newest. */
export interface LiveWriter {
  readonly id: string;
  readonly build: string;
}

/** What a look for one version found. */
export interface VersionTraces extends Omit<Backlog, 'open'> {
  /** Running services that have no newer version to write. */
  readonly writers: readonly LiveWriter[];
}

/** Does nothing carry the version any more, and can nothing carry it again? */
export function judgeRetirement(
  subject: VersionName,
  { carried, known, writers }: VersionTraces,
): readonly GateBlocker[] {
  const mine = carried.filter(({ type, version }) => type === subject.type && version === subject.version);
  const newer = known.filter(({ type, version }) => type === subject.type && version > subject.version);
  const blockers = [
    ...mine.map((part) => carriedBlocker(part, 'would lose their reader')),
    ...(writers.length === 0 ? [] : [writersBlocker(subject, writers)]),
  ];
  if (newer.some(mayBeWritten)) return blockers;
  const why =
    newer.length === 0 ? 'is the newest version' : 'is what writers fall back to: no newer version may be written';
  return [...blockers, writableBlocker(subject, why)];
}

import { includes, namesOf, type VersionsByType } from './gate-report.ts';
import type { VersionName } from './standing.ts';

/** One side of a rollout: a build, and the file that its manifest was read from. */
export interface RolloutBuild {
  readonly build: string;
  /** As the commands of the plan are to name it. */
  readonly file: string;
  readonly readers: VersionsByType;
  readonly writers: VersionsByType;
}

export type RolloutStepName = 'deploy-readers' | 'check-coverage' | 'allow-writers' | 'drain' | 'retire';

export interface RolloutStep {
  readonly step: RolloutStepName;
  /** What the step is about; for readers, the versions that get one. */
  readonly versions: readonly VersionName[];
  readonly action: string;
  /** Commands; the step may be taken, or is done, when each ends with 0. */
  readonly checks: readonly string[];
  /** How to go back from here. */
  readonly rollback: string;
}

export type RolloutPlan =
  | { readonly status: 'planned'; readonly steps: readonly RolloutStep[] }
  /** Services of the old build write these until they are replaced, and dispatchers of the new one do not read them. */
  | { readonly status: 'needs-bridge'; readonly versions: readonly VersionName[] };

/** The way from one build to another on which every record always has a reader. */
export function planRollout(from: RolloutBuild, to: RolloutBuild): RolloutPlan {
  const stranded = without(from.writers, to.readers);
  if (stranded.length > 0) return { status: 'needs-bridge', versions: stranded };
  const written = without(to.writers, from.writers);
  return {
    status: 'planned',
    steps: [
      // What the new build does not read any more has to be gone before the last old dispatcher is.
      ...drainAndRetire(without(from.readers, to.readers), from),
      deployReaders(from, to),
      checkCoverage(from, to),
      ...(written.length === 0 ? [] : [allowWriters(written, from, to)]),
      ...drainAndRetire(without(from.writers, to.writers), from),
    ],
  };
}

function deployReaders(from: RolloutBuild, to: RolloutBuild): RolloutStep {
  return {
    step: 'deploy-readers',
    versions: without(to.readers, from.readers),
    action: `Start the dispatchers of ${to.build}, then stop those of ${from.build}. Services stay at ${from.build}.`,
    checks: [`waybill gate rollback --to ${quoted(to.file)}`],
    rollback: `Start the dispatchers of ${from.build} again: it reads all that is written so far.`,
  };
}

function checkCoverage(from: RolloutBuild, to: RolloutBuild): RolloutStep {
  return {
    step: 'check-coverage',
    versions: namesOf(to.writers),
    action: `See that ${to.build} reads every version, on more than one instance, and that no dispatcher of ${from.build} is left.`,
    checks: [
      'waybill coverage',
      ...(namesOf(to.writers).length === 0 ? [] : [`waybill gate writers --manifest ${quoted(to.file)}`]),
    ],
    rollback: `Start the dispatchers of ${from.build} again: it reads all that is written so far.`,
  };
}

function allowWriters(versions: readonly VersionName[], from: RolloutBuild, to: RolloutBuild): RolloutStep {
  const file = quoted(from.file);
  return {
    step: 'allow-writers',
    versions,
    action: `Deploy the services of ${to.build}.`,
    checks: [`waybill gate writers --manifest ${quoted(to.file)}`],
    rollback: `Hold the writers: waybill readers declare --manifest ${file} --until TIME --actor WHO --reason WHY. Let it drain until waybill gate rollback --to ${file} ends with 0, then deploy ${from.build}.`,
  };
}

function drainAndRetire(versions: readonly VersionName[], from: RolloutBuild): readonly RolloutStep[] {
  if (versions.length === 0) return [];
  const checks = versions.map((name) => `waybill gate retire ${quoted(nameOf(name))}`);
  const retire = versions.map(
    (name) => `waybill retire ${quoted(nameOf(name))} --expect-revision N --actor WHO --reason WHY`,
  );
  return [
    {
      step: 'drain',
      versions,
      action: 'Wait until no record carries the version any more. Replay or discard its dead letters.',
      checks,
      rollback: 'Nothing to undo: the versions still have their readers, and may be written.',
    },
    {
      step: 'retire',
      versions,
      action: `Once nobody goes back to ${from.build}: ${retire.join('; ')}. The gate shows the revision.`,
      checks,
      rollback: 'None: a retired version is never written again. Leave this step out as long as that may be needed.',
    },
  ];
}

function without(versions: VersionsByType, others: VersionsByType): readonly VersionName[] {
  return namesOf(versions).filter((name) => !includes(others, name));
}

const nameOf = ({ type, version }: VersionName): string => `${type}@${String(version)}`;

/** The commands are there to be copied into a shell. */
function quoted(word: string): string {
  return /^[\w@%+:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

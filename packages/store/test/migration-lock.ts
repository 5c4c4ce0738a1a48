/** The steps of the schema that were released, which nobody may change any more: databases have run them as they were. */
import type { Migration } from '../src/migrations.ts';

/** `sql/migrations/lock.json`. */
export interface MigrationLock {
  /** The version of the store that froze the youngest of them; 0.0.0 before the first release. */
  readonly version: string;
  /** The checksum of each released step, by its name with its number. */
  readonly released: Readonly<Record<string, string>>;
}

type Step = Pick<Migration, 'number' | 'name' | 'checksum'>;

const nameOf = ({ number, name }: Step): string => `${String(number).padStart(4, '0')}_${name}`;

/** The lock that a version of the store ships: a new version freezes what it is the first to release, and thaws nothing. */
export function lockFor(lock: MigrationLock, version: string, steps: readonly Step[]): MigrationLock {
  if (version === lock.version) return lock;
  const now = Object.fromEntries(steps.map((step) => [nameOf(step), step.checksum]));
  return { version, released: { ...now, ...lock.released } };
}

/** What has become of released steps that must not. */
export function lockProblems(lock: MigrationLock, steps: readonly Step[]): readonly string[] {
  const checksums = new Map(steps.map((step) => [nameOf(step), step.checksum]));
  return Object.entries(lock.released)
    .filter(([name, checksum]) => checksums.get(name) !== checksum)
    .map(
      ([name]) =>
        `${name} is released and ${checksums.has(name) ? 'was changed' : 'is gone'}: put it back, and write a new step`,
    );
}

/** Something to do once a transaction is committed, given its result. */
export type AfterCommit<T> = (result: T) => unknown;

export interface BestEffortOptions<T> {
  /** Runs when COMMIT has succeeded, in order, each whatever became of the one before it. There is no record of them: a process that dies in between does not. */
  readonly afterCommit?: AfterCommit<T> | readonly AfterCommit<T>[];
  /** Defaults to the database's own. */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
}

/** A committed transaction. */
export interface Committed<T> {
  readonly result: T;
  /** What the `afterCommit` hooks threw. The transaction is committed all the same. */
  readonly failures: readonly unknown[];
}

/** The statement that begins a transaction of that isolation. */
export function beginText(isolation: BestEffortOptions<unknown>['isolation']): string {
  return isolation === undefined ? 'begin' : `begin isolation level ${isolation}`;
}

/** Runs the hooks on what a committed transaction gave; a transaction that failed fails, and no hook runs. */
export async function thenHooks<T>(
  committed: Promise<T>,
  hooks: AfterCommit<T> | readonly AfterCommit<T>[] = [],
): Promise<Committed<T>> {
  const result = await committed;
  const failures: unknown[] = [];
  for (const hook of [hooks].flat()) {
    try {
      await hook(result);
    } catch (error) {
      failures.push(error);
    }
  }
  return { result, failures };
}

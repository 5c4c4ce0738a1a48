import { ids, idsInTitle, isRequirement } from './ids.ts';

/** The part of Vitest's JSON report that we read. */
export interface Report {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly message?: string;
    readonly assertionResults: readonly TestResult[];
  }[];
}

export interface TestResult {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
}

export interface Tally {
  readonly passed: number;
  /** Failed tests, and test files that could not even be loaded. */
  readonly failed: number;
  /** Passing tests by id; an id of a group counts for each test in it. */
  readonly passing: ReadonlyMap<string, number>;
  readonly failing: ReadonlyMap<string, number>;
  /** Ids that look like ours and are not: mistyped ones. */
  readonly unknown: readonly string[];
}

/** Counts the tests of a report, by id. */
export function tally(report: Report): Tally {
  const tests = report.testResults.flatMap((file) => file.assertionResults);
  const unloaded = report.testResults.filter((file) => file.assertionResults.length === 0).length;
  const passed = tests.filter(({ status }) => status === 'passed');
  const failed = tests.filter(({ status }) => status === 'failed');
  const seen = tests.flatMap(idsOf);
  return {
    passed: passed.length,
    failed: failed.length + unloaded,
    passing: countById(passed),
    failing: countById(failed),
    unknown: [...new Set(seen)].filter((id) => isRequirement(id) && !(id in ids)),
  };
}

function countById(tests: readonly TestResult[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of tests.flatMap(idsOf)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

function idsOf(test: TestResult): readonly string[] {
  return [...new Set([...test.ancestorTitles, test.title].flatMap(idsInTitle))];
}

import { findProgram } from './find-program.ts';

/** What of the process's environment decides whether tests may be skipped. */
export interface ProgramEnvironment {
  readonly PATH?: string | undefined;
  /** Set by CI services: there a missing program is a failure. */
  readonly CI?: string | undefined;
}

/** The function of a test runner that defines a test; vitest's fits. */
export interface TestDefinition {
  test(name: string, run: (context: { skip(note: string): never }) => Promise<void>): void;
}

/** Defines tests that need an installed program; without it, one test that says so, and that fails under CI. */
export function withProgram(
  runner: TestDefinition,
  program: string,
  environment: ProgramEnvironment,
  define: (path: string) => void,
): void {
  const path = findProgram(program, environment.PATH ?? '');
  if (path !== null) {
    define(path);
    return;
  }
  runner.test(`${program} is installed, so that the tests against it can run`, async (test) => {
    const note = `${program} is not installed: the tests against it did not run`;
    if (environment.CI !== undefined && environment.CI !== '' && environment.CI !== 'false') throw new Error(note);
    test.skip(note);
  });
}

import { expect, test } from 'vitest';
import { type ProgramEnvironment, type TestDefinition, withProgram } from './with-program.ts';

type Run = Parameters<TestDefinition['test']>[1];

/** What is defined for a program: the titles, and how the tests end. */
async function definedFor(program: string, environment: ProgramEnvironment) {
  const tests: { title: string; run: Run }[] = [];
  let path: string | null = null;
  const runner = { test: (title: string, run: Run) => void tests.push({ title, run }) };
  withProgram(runner, program, environment, (found) => {
    path = found;
  });
  const endings = await Promise.all(
    tests.map(({ run }) =>
      run({
        skip: (note) => {
          throw new Error(`skipped: ${note}`);
        },
      }).then(
        () => 'passed',
        (error: unknown) => String(error),
      ),
    ),
  );
  return { path, titles: tests.map(({ title }) => title), endings };
}

const NOTE = 'no-such-broker is not installed: the tests against it did not run';

test('T01: without its program a suite is skipped and says what did not run', async () => {
  expect(await definedFor('no-such-broker', { PATH: '/bin' })).toEqual({
    path: null,
    titles: ['no-such-broker is installed, so that the tests against it can run'],
    endings: [`Error: skipped: ${NOTE}`],
  });
});

test.each(['true', '1'])('T01: under CI (%s) a missing program is a failure, not a skip', async (CI) => {
  expect((await definedFor('no-such-broker', { PATH: '/bin', CI })).endings).toEqual([`Error: ${NOTE}`]);
});

test('T01: with its program a suite is defined, and CI=false is no CI', async () => {
  expect(await definedFor('sh', { PATH: '/bin', CI: 'true' })).toMatchObject({ path: '/bin/sh', titles: [] });
  expect((await definedFor('no-such-broker', { CI: 'false' })).endings).toEqual([`Error: skipped: ${NOTE}`]);
});

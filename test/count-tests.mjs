// Prints "N passed, N failed" from JSON reports of Vitest, after the titles of what failed and how: the end of a log is
// what is kept of it. A run without a report, or a test file that could not be loaded, counts as one failure: it must not
// look like success.
import { existsSync, readFileSync } from 'node:fs';

/** A failure's first lines name the expectation; the stack that follows is in the log of the run itself. */
const shownLines = 12;

/** What became of the test files of one run. */
const read = (file) =>
  existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8')).testResults
    : [{ name: file, message: 'there is no report', assertionResults: [] }];
const testResults = process.argv.slice(2).flatMap(read);
const tests = testResults.flatMap(({ name, message, assertionResults }) =>
  assertionResults.length > 0
    ? assertionResults.map((test) => ({ ...test, name }))
    : [{ name, fullName: 'the file could not be loaded', status: 'failed', failureMessages: [message] }],
);
const failed = tests.filter(({ status }) => status === 'failed');
for (const { name, fullName, failureMessages } of failed) {
  console.log(`FAILED ${name} > ${fullName}`);
  console.log(failureMessages.join('\n').split('\n').slice(0, shownLines).join('\n'));
}
console.log(`${tests.filter(({ status }) => status === 'passed').length} passed, ${failed.length} failed`);

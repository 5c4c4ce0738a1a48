// Prints "N passed, N failed" from a JSON report of Vitest. A run without a report, or a test file that could not be
// loaded, counts as one failure: it must not look like success.
import { existsSync, readFileSync } from 'node:fs';

const [file] = process.argv.slice(2);
const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { testResults: [{ assertionResults: [] }] };
const statuses = report.testResults.flatMap(({ assertionResults }) =>
  assertionResults.length === 0 ? ['failed'] : assertionResults.map(({ status }) => status),
);
const count = (wanted) => statuses.filter((status) => status === wanted).length;
console.log(`${count('passed')} passed, ${count('failed')} failed`);

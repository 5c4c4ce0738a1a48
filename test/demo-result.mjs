// Reads the standard output of the demo and judges its last line: the JSON of the result, with exactly these keys.
import { text } from 'node:stream/consumers';

const KEYS = [
  ...['enqueued', 'delivered', 'rolledBack', 'duplicates', 'lost', 'outOfOrder'],
  ...['unreadableClaims', 'waitedForReader', 'deadLetters', 'ms'],
];

function parseResult(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function problemsOf(result) {
  if (typeof result !== 'object' || result === null) return ['the last line is not a JSON object'];
  return [
    ...(Object.keys(result).sort().join() === [...KEYS].sort().join() ? [] : [`its keys are ${Object.keys(result)}`]),
    ...['lost', 'outOfOrder', 'unreadableClaims'].filter((key) => result[key] !== 0).map((key) => `${key} is not 0`),
    ...(result.enqueued > 0 ? [] : ['nothing was enqueued']),
  ];
}

const lines = (await text(process.stdin)).trimEnd().split('\n');
const problems = problemsOf(parseResult(lines.at(-1) ?? ''));
for (const problem of problems) console.error(`The result of the demo is wrong: ${problem}.`);
process.exitCode = problems.length === 0 ? 0 : 1;

// Reads the standard output of the demo and judges its last line: the JSON of the result, with exactly these keys.
import { text } from 'node:stream/consumers';

const KEYS = [
  ...['enqueued', 'delivered', 'rolledBack', 'duplicates', 'lost', 'outOfOrder'],
  ...['unreadableClaims', 'waitedForReader', 'deadLetters', 'ms'],
];

const line = (await text(process.stdin)).trimEnd().split('\n').at(-1) ?? '';
const result = JSON.parse(line);
const problems = [
  ...(Object.keys(result).sort().join() === [...KEYS].sort().join() ? [] : [`its keys are ${Object.keys(result)}`]),
  ...['lost', 'outOfOrder', 'unreadableClaims'].filter((key) => result[key] !== 0).map((key) => `${key} is not 0`),
  ...(result.enqueued > 0 ? [] : ['nothing was enqueued']),
];
for (const problem of problems) console.error(`The result of the demo is wrong: ${problem}.`);
process.exitCode = problems.length === 0 ? 0 : 1;

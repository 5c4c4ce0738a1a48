/**
 * Runs the compatibility checker over consecutive releases of @octokit/webhooks-schemas, event by event, tries the verdicts on the real
 * payloads of @octokit/webhooks-examples, and writes test/octokit/report.json. It fetches 18 packages, so no test runs it; by hand:
 * `node --import jiti/register packages/contracts/test/octokit/report.ts`, in some minutes.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Comparison, compareSchemas } from '../../src/compat/compare.ts';
import { Evaluator } from '../../src/compat/evaluate.ts';
import type { JsonValue } from '../../src/compat/json-value.ts';
import { schemaDocument } from '../../src/compat/schema-document.ts';
import { closedSchema } from '../../src/validation/closed-schema.ts';
import { openSchema } from '../../src/validation/open-schema.ts';
import type { JsonSchema } from '../../src/validation/plain-schema.ts';
import { type Bundle, eventsOf } from './events.ts';

const RELEASES = [
  '3.69.1',
  '3.69.3',
  '3.77.1',
  '4.1.0',
  '4.13.0',
  '5.5.1',
  '5.8.0',
  '6.7.0',
  '6.10.0',
  '6.11.0',
  '7.0.2',
  '7.0.3',
  '7.1.0',
  '7.3.1',
  '7.4.0',
  '7.5.0',
  '7.5.1',
  '7.6.1',
];

const examples = dirname(
  createRequire(join(import.meta.dirname, '../../../../apps/examples/github-contracts/package.json')).resolve(
    '@octokit/webhooks-examples/package.json',
  ),
);

/** Payloads by webhook name, as GitHub sent them. */
function payloads(): ReadonlyMap<string, readonly JsonValue[]> {
  const index = JSON.parse(readFileSync(join(examples, 'api.github.com/index.json'), 'utf8')) as readonly {
    readonly name: string;
    readonly examples: readonly JsonValue[];
  }[];
  if (index.length === 0) throw new Error('there are no payloads, so nothing would be tried');
  return new Map(index.map(({ name, examples: records }) => [name, records]));
}

function fetchBundle(release: string, folder: string): Bundle {
  execFileSync('npm', ['pack', '--silent', `@octokit/webhooks-schemas@${release}`], { cwd: folder });
  return JSON.parse(
    execFileSync('tar', ['-xzOf', `octokit-webhooks-schemas-${release}.tgz`, 'package/schema.json'], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 50_000_000,
    }),
  ) as Bundle;
}

/** Real payloads that contradict an answer "yes". */
function contradictions(
  before: JsonSchema,
  after: JsonSchema,
  { strict, emitted }: Pick<Comparison, 'strict' | 'emitted'>,
  records: readonly JsonValue[],
): number {
  const accepts = (schema: JsonSchema) => {
    const evaluator = new Evaluator(schemaDocument(schema));
    return (record: JsonValue) => evaluator.accepts(schema, record);
  };
  const claims = [
    [strict.newReaderReadsOld, accepts(before), accepts(after)],
    [strict.oldReaderReadsNew, accepts(after), accepts(before)],
    [emitted.newReaderReadsOld, accepts(closedSchema(before)), accepts(openSchema(after))],
    [emitted.oldReaderReadsNew, accepts(closedSchema(after)), accepts(openSchema(before))],
  ] as const;
  return claims.filter(
    ([answer, written, read]) => answer === 'yes' && records.some((record) => written(record) && !read(record)),
  ).length;
}

const YES = { oldReaderReadsNew: 'yes', newReaderReadsOld: 'yes' } as const;
/** The answers of a checker that refuses nothing: every payload that is refused contradicts it, so a count of 0 elsewhere means something. */
const ALWAYS_YES = { strict: YES, emitted: YES };

function increment(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

const folder = mkdtempSync(join(tmpdir(), 'octokit-'));
const records = payloads();
const totals = {
  releases: RELEASES.length,
  pairs: 0,
  unchanged: 0,
  compared: 0,
  payloadsTried: 0,
  /** Questions to which a payload answers no; what follows is how many of them the checker answered yes. */
  refusalsOfPayloads: 0,
  answersRefutedByPayloads: 0,
  unknownAnswers: 0,
  answers: 0,
  /** Of the processor, so that what else runs on the machine counts for nothing. */
  cpuMs: 0,
  slowestCpuMs: 0,
};
const verdicts: Record<string, number> = {};
const rules: Record<string, number> = {};
const steps: object[] = [];
let before = eventsOf(fetchBundle(RELEASES[0] ?? '', folder));
for (const release of RELEASES.slice(1)) {
  const after = eventsOf(fetchBundle(release, folder));
  const step: Record<string, number> = {};
  for (const [name, schema] of before) {
    const next = after.get(name);
    if (next === undefined) continue;
    totals.pairs += 1;
    if (JSON.stringify(schema) === JSON.stringify(next)) {
      totals.unchanged += 1;
      continue;
    }
    const began = process.cpuUsage();
    const comparison = compareSchemas(schema, next);
    const { user, system } = process.cpuUsage(began);
    const ms = (user + system) / 1_000;
    totals.compared += 1;
    totals.cpuMs += ms;
    totals.slowestCpuMs = Math.max(totals.slowestCpuMs, ms);
    increment(verdicts, comparison.verdict);
    increment(rules, comparison.rule);
    increment(step, comparison.verdict);
    const answers = [...Object.values(comparison.strict), ...Object.values(comparison.emitted)];
    totals.answers += answers.length;
    totals.unknownAnswers += answers.filter((answer) => answer === 'unknown').length;
    const sent = records.get(name.split('$')[0]?.replace(/_event$/, '') ?? '') ?? [];
    totals.payloadsTried += sent.length;
    totals.refusalsOfPayloads += contradictions(schema, next, ALWAYS_YES, sent);
    totals.answersRefutedByPayloads += contradictions(schema, next, comparison, sent);
  }
  steps.push({ release, events: after.size, ...step });
  process.stderr.write(`${JSON.stringify(steps.at(-1))}\n`);
  before = after;
}
rmSync(folder, { recursive: true });
const rounded = {
  ...totals,
  cpuMs: Math.round(totals.cpuMs),
  slowestCpuMs: Math.round(totals.slowestCpuMs),
  realPayloads: [...records.values()].flat().length,
};
writeFileSync(
  join(import.meta.dirname, '../../../../test/octokit/report.json'),
  `${JSON.stringify({ totals: rounded, verdicts, rules, steps }, null, 2)}\n`,
);

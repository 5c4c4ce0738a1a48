import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Arguments, parseArguments, USAGE } from './arguments.ts';
import { evidenceOf } from './evidence.ts';
import { ids, mutations, reached, reachedFile } from './ids.ts';
import { runMutations } from './mutate.ts';
import { tally } from './report.ts';
import { readReport, runSuite } from './run-suite.ts';
import { score } from './score.ts';

const root = join(import.meta.dirname, '..', '..');

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function scoreRun(args: Arguments): Promise<number> {
  const report = args.report === undefined ? await runSuite(root) : await readReport(args.report);
  const counts = tally(report);
  const { table, problems, newlyReached } = score(ids, reached, counts);
  print(table);
  for (const problem of problems) print(`NOT CONFORMING: ${problem}`);
  if (args.evidence !== undefined) {
    const evidence = evidenceOf(ids, counts, args.build ?? buildName(), new Date());
    await writeFile(args.evidence, `${JSON.stringify(evidence, null, 2)}\n`);
  }
  if (args.reach) await extendReached(newlyReached);
  else if (newlyReached.length > 0) print(`newly reached (--reach keeps them): ${newlyReached.join(' ')}`);
  return problems.length === 0 ? 0 : 1;
}

async function extendReached(newlyReached: readonly string[]): Promise<void> {
  const all = Object.keys(ids).filter((id) => reached.includes(id) || newlyReached.includes(id));
  await writeFile(reachedFile, `${JSON.stringify(all, null, 2)}\n`);
}

async function mutationRun(wanted: readonly string[]): Promise<number> {
  const chosen = mutations.filter(({ id }) => wanted.length === 0 || wanted.includes(id));
  const missing = wanted.filter((id) => !mutations.some((mutation) => mutation.id === id));
  for (const id of missing) print(`${id}  no break is recorded`);
  const results = await runMutations(root, chosen);
  for (const { mutation, outcome } of results) print(`${mutation.id}  ${outcome}  ${mutation.file}`);
  return missing.length === 0 && results.every(({ outcome }) => outcome === 'caught') ? 0 : 1;
}

function buildName(): string {
  const commit = execFileSync('git', ['-c', 'safe.directory=*', 'rev-parse', '--short', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  });
  return `waybill@${commit.trim()}`;
}

async function main(argv: readonly string[]): Promise<number> {
  let args: Arguments;
  try {
    args = parseArguments(argv);
  } catch (error) {
    process.stderr.write(`${String(error)}\n${USAGE}\n`);
    return 2;
  }
  return args.mutate === undefined ? scoreRun(args) : mutationRun(args.mutate);
}

process.exitCode = await main(process.argv.slice(2));

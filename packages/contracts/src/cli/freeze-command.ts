import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ContractError } from '../contract-error.ts';
import { type LintProblem, lintVersion } from '../dialect/lint.ts';
import { canonicalSchema, schemaFile, schemaText } from '../freeze/canonical-schema.ts';
import { type FreezePlan, planFreeze } from '../freeze/freeze.ts';
import { LOCK_FILE, lockText, RETIRED } from '../freeze/lock.ts';
import { describeComparison } from './describe-comparison.ts';
import { EXIT_CODES, type ExitCode, VERDICT_EXIT_CODES, worstOf } from './exit-codes.ts';
import { describeProblem } from './lint-command.ts';
import { openProject, type Project, type ProjectOptions, readIfThere } from './project.ts';
import { type Terminal, wantsJson } from './terminal.ts';

/** `freeze [types...]`: writes the schemas of new versions, and of edits that may keep their version, with their hashes. */
export async function freezeCommand(
  terminal: Terminal,
  types: readonly string[],
  options: ProjectOptions,
): Promise<ExitCode> {
  const project = await openProject(terminal, options);
  const unknown = types.filter((type) => !project.messages.some((message) => message.type === type));
  if (unknown.length > 0)
    throw new ContractError('CTR_INPUT_UNREADABLE', `${unknown.join(', ')}: no contract package defines it`);
  const messages = project.messages.filter(({ type }) => types.length === 0 || types.includes(type));
  const plan = await planFreeze(messages, project.tree);
  // What lint refuses would be hard to change once it is frozen.
  const lint = plan.files.flatMap(({ message, version }) => lintVersion(message, version));
  if (plan.refused.length + plan.retired.length + lint.length === 0) await carryOut(plan, project);
  report(terminal, plan, lint, options);
  return worstOf([
    plan.retired.length + lint.length > 0 ? EXIT_CODES.newVersion : EXIT_CODES.allowed,
    ...plan.refused.map(({ comparison }) => VERDICT_EXIT_CODES[comparison.verdict]),
  ]);
}

async function carryOut(plan: FreezePlan, project: Project): Promise<void> {
  if (plan.files.length === 0) return;
  for (const { file, text } of plan.files) await writeBelow(project.schemasDirectory, file, text);
  await writeBelow(project.schemasDirectory, LOCK_FILE, lockText(plan.lock));
}

export async function writeBelow(directory: string, file: string, text: string): Promise<void> {
  const path = join(directory, file);
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'error';
    throw new ContractError('CTR_INPUT_UNREADABLE', `${path}: cannot be written (${code})`, [], { cause: error });
  }
}

function report(terminal: Terminal, plan: FreezePlan, lint: readonly LintProblem[], options: ProjectOptions): void {
  const { files, refused, retired } = plan;
  const isRefused = refused.length + retired.length + lint.length > 0;
  if (wantsJson(options)) {
    terminal.print(
      JSON.stringify({
        schema: 'waybill.freeze/v1',
        frozen: isRefused ? [] : files.map(({ file, change }) => ({ file, change })),
        refused,
        retired,
        lint,
      }),
    );
    return;
  }
  for (const { type, version, comparison } of refused) {
    terminal.print(`${type}@${version}: not frozen, and nothing else was`);
    for (const line of describeComparison(comparison)) terminal.print(`  ${line}`);
    terminal.print(
      '  what was frozen on this branch only may still change: restore the folder of the schemas with git first',
    );
  }
  for (const subject of retired) terminal.print(`${subject}: ${RETIRED}; nothing was frozen`);
  for (const problem of lint) terminal.print(`${describeProblem(problem)}; nothing was frozen`);
  if (isRefused) return;
  for (const { file, change } of files) terminal.print(`${change}: ${file}`);
  if (files.length === 0) terminal.print('everything is frozen as it is');
}

/** `gen`: the schema files of versions that are not frozen yet. `gen --check` writes nothing and compares the file of every version. */
export async function genCommand(
  terminal: Terminal,
  options: ProjectOptions & { readonly check?: boolean },
): Promise<ExitCode> {
  const project = await openProject(terminal, options);
  const stale: string[] = [];
  for (const message of project.messages) {
    for (const version of Object.keys(message.versions).map(Number)) {
      const frozen = project.tree.lock.messages[message.type]?.versions[version] !== undefined;
      if (frozen && options.check !== true) continue;
      const file = schemaFile(message.type, version);
      const text = schemaText(canonicalSchema(message.type, version, message.versions[version] ?? {}));
      if ((await readIfThere(join(project.schemasDirectory, file))) === text) continue;
      stale.push(file);
      if (options.check !== true) await writeBelow(project.schemasDirectory, file, text);
    }
  }
  if (wantsJson(options))
    terminal.print(JSON.stringify({ schema: 'waybill.gen/v1', stale, written: options.check !== true }));
  else
    for (const file of stale)
      terminal.print(options.check === true ? `differs from the code: ${file}` : `written: ${file}`);
  return options.check === true && stale.length > 0 ? EXIT_CODES.newVersion : EXIT_CODES.allowed;
}

import { type Base, openBase } from '../check/base.ts';
import { type Bump, bumpBetween, largestBump, missingChangeset } from '../check/bump.ts';
import { announcedBump, announcementsSince } from '../check/changesets.ts';
import { type CheckFinding, checkAgainst, checkFrozen, checkReusedNames } from '../check/check-schemas.ts';
import { defaultBases } from '../check/default-bases.ts';
import { git } from '../check/git.ts';
import { type LintProblem, lintMessage } from '../dialect/lint.ts';
import { isSchemaObject } from '../validation/plain-schema.ts';
import { describeComparison } from './describe-comparison.ts';
import { EXIT_CODES, type ExitCode, worstOf } from './exit-codes.ts';
import { describeProblem } from './lint-command.ts';
import type { LoadedContracts } from './load-contracts.ts';
import { openProject, type Project, type ProjectOptions } from './project.ts';
import { parseJsonText } from './read-json-file.ts';
import { type Terminal, wantsJson } from './terminal.ts';

/** Options of the command. */
export interface CheckOptions extends ProjectOptions {
  readonly against?: readonly string[];
}

/** What one base has to say about the work tree. */
interface BaseReport {
  readonly against: string;
  readonly findings: readonly CheckFinding[];
  readonly bump: Bump;
  readonly missingChangesets: readonly { readonly file: string; readonly text: string }[];
}

/** `check`: lint, code against frozen schemas, frozen schemas against each base, the bump against the changesets of the branch. */
export async function checkCommand(terminal: Terminal, options: CheckOptions, today: string): Promise<ExitCode> {
  const project = await openProject(terminal, options);
  const lint = project.messages.flatMap((message) => lintMessage(message, today));
  const local = [...checkFrozen(project.messages, project.tree.lock), ...(await checkReusedNames(project.tree))];
  const bases: BaseReport[] = [];
  for (const against of options.against ?? (await defaultBases(publishedNames(project), terminal.directory)))
    bases.push(
      await reportOn(
        await openBase(against, terminal.directory, project.schemasDirectory),
        project,
        terminal.directory,
      ),
    );
  print(terminal, options, { lint, local, bases });
  const findings = [...local, ...bases.flatMap((report) => report.findings)];
  return worstOf([
    ...findings.map(({ verdict }) =>
      verdict === 'allowed'
        ? EXIT_CODES.allowed
        : verdict === 'cannot-prove'
          ? EXIT_CODES.cannotProve
          : EXIT_CODES.newVersion,
    ),
    lint.length + bases.flatMap((report) => report.missingChangesets).length > 0
      ? EXIT_CODES.newVersion
      : EXIT_CODES.allowed,
  ]);
}

/** Private packages are never published. */
function publishedNames({ packages }: Project): readonly string[] {
  return packages.filter(({ isPrivate }) => !isPrivate).map(({ packageName }) => packageName);
}

async function reportOn(base: Base, project: Project, directory: string): Promise<BaseReport> {
  const findings = await checkAgainst(base.tree, project.tree);
  const published = project.packages.filter(({ isPrivate }) => !isPrivate);
  const bumps = published.map(({ packageName, packageVersion, directory: folder }) => ({
    packageName,
    packageVersion,
    folder,
    bump: largestBump(
      findings
        .filter(({ type }) => publisherOf(type, project)?.packageName === packageName)
        .map((finding) => finding.bump),
    ),
  }));
  const bump = largestBump(findings.map((finding) => finding.bump));
  const announcements = await announcementsSince(base, directory);
  const missing =
    announcements === null
      ? []
      : await Promise.all(
          bumps.map(async ({ packageName, packageVersion, folder, bump: needed }) =>
            missingChangeset(
              packageName,
              needed,
              largestBump([
                announcedBump(packageName, announcements),
                bumpBetween((await versionIn(base, folder)) ?? packageVersion, packageVersion),
              ]),
            ),
          ),
        );
  return { against: base.name, findings, bump, missingChangesets: missing.filter((one) => one !== null) };
}

/** The version that the base has of the package in a folder: after a release its changesets are gone, and the version has gone up. */
async function versionIn(base: Base, folder: string): Promise<string | null> {
  const prefix = await git(['rev-parse', '--show-prefix'], folder);
  const text = prefix === null ? null : await base.readFile(`${prefix}package.json`);
  if (text === null) return null;
  const manifest = parseJsonText(text, `${base.name} package.json`);
  const version = isSchemaObject(manifest) ? manifest['version'] : undefined;
  return typeof version === 'string' ? version : null;
}

/** Who announces a change of the type. One that nobody defines any more counts for the first published package: its removal has to be announced somewhere. */
function publisherOf(type: string, { packages }: Project): LoadedContracts | undefined {
  return (
    packages.find(({ contracts }) => contracts.messages.some((message) => message.type === type)) ??
    packages.find(({ isPrivate }) => !isPrivate)
  );
}

function print(
  terminal: Terminal,
  options: CheckOptions,
  {
    lint,
    local,
    bases,
  }: {
    readonly lint: readonly LintProblem[];
    readonly local: readonly CheckFinding[];
    readonly bases: readonly BaseReport[];
  },
): void {
  if (wantsJson(options)) {
    terminal.print(JSON.stringify({ schema: 'waybill.check/v1', lint, findings: local, bases }));
    return;
  }
  for (const problem of lint) terminal.print(`lint ${describeProblem(problem)}`);
  printFindings(terminal, local);
  for (const report of bases) {
    terminal.print(`against ${report.against}: bump ${report.bump}`);
    printFindings(terminal, report.findings);
    for (const { file, text } of report.missingChangesets)
      terminal.print(`a changeset is missing or too small; add ${file}:\n${text}`);
  }
}

function printFindings(terminal: Terminal, findings: readonly CheckFinding[]): void {
  for (const { type, version, verdict, message, comparison } of findings) {
    terminal.print(`${verdict} ${type}@${version}: ${message}`);
    if (comparison !== undefined && verdict !== 'allowed')
      for (const line of describeComparison(comparison)) terminal.print(`  ${line}`);
  }
}

import { Command, CommanderError, Option } from 'commander';
import { ContractError } from '../contract-error.ts';
import { type CheckOptions, checkCommand } from './check-command.ts';
import { type CompareOptions, compareCommand } from './compare-command.ts';
import { docsCommand } from './docs-command.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import { explainCommand } from './explain-command.ts';
import { freezeCommand, genCommand } from './freeze-command.ts';
import { initCommand } from './init-command.ts';
import { lintCommand } from './lint-command.ts';
import { manifestCommand } from './manifest-command.ts';
import type { ProjectOptions } from './project.ts';
import { retireCommand } from './retire-command.ts';
import type { OutputOptions, Terminal } from './terminal.ts';
import { testCommand } from './test-command.ts';

const EXIT_CODE_HELP = `
Exit codes: 0 allowed, 1 a new version (or another correction) is needed, 2 cannot prove, 3 could not run.`;

/**
 * Runs one command line and says how it ended.
 *
 * @param today `YYYY-MM-DD`, for drafts whose decision is overdue.
 */
export async function runCommandLine(args: readonly string[], terminal: Terminal, today: string): Promise<ExitCode> {
  let code: ExitCode = EXIT_CODES.allowed;
  const program = commands(terminal, today, (result) => {
    code = result;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    // Help and version are no failures; everything else that commander throws is wrong usage.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.allowed : EXIT_CODES.couldNotRun;
    if (!(error instanceof ContractError)) throw error;
    terminal.tell(`${error.code}: ${error.message}`);
    return EXIT_CODES.couldNotRun;
  }
}

function commands(terminal: Terminal, today: string, end: (code: ExitCode) => void): Command {
  const program = new Command('waybill-contracts')
    .description('Versioned message contracts: lint, freeze, compare, check.')
    .addHelpText('after', EXIT_CODE_HELP)
    // Set before the commands are added, which inherit both.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.tell(text.trimEnd()),
    });

  onProject(program.command('lint'))
    .description('say what to write otherwise')
    .action(async (options: ProjectOptions) => end(await lintCommand(terminal, options, today)));
  onProject(program.command('gen'))
    .description('write the schemas of versions that are not frozen yet')
    .option('--check', 'write nothing, fail where a file differs from the code')
    .action(async (options: ProjectOptions & { check?: boolean }) => end(await genCommand(terminal, options)));
  onProject(program.command('freeze [types...]'))
    .description('publish versions: schema files and their hashes')
    .action(async (types: string[], options: ProjectOptions) => end(await freezeCommand(terminal, types, options)));
  onProject(program.command('check'))
    .description('compare code, frozen schemas and bases; compute the bump and look for its changeset')
    .option('--against <base...>', 'git refs, folders or package tarballs (default: main and the last release)')
    .action(async (options: CheckOptions) => end(await checkCommand(terminal, options, today)));
  withOutput(program.command('compare [files...]'))
    .description('compare OLD.json NEW.json: may the edit keep the version?')
    .option('--pairs <file>', 'a JSON Lines file of { id, before, after }')
    .action(async (files: string[], options: CompareOptions) => end(await compareCommand(terminal, files, options)));
  onProject(program.command('explain <type@version>'))
    .description('compare the code of one version with its frozen schema')
    .option('--against <base>', 'a git ref, a folder or a package tarball')
    .action(async (subject: string, options: ProjectOptions & { against?: string }) =>
      end(await explainCommand(terminal, subject, options)),
    );
  onProject(program.command('test'))
    .description('golden and generated records through every step')
    .action(async (options: ProjectOptions) => end(await testCommand(terminal, options)));
  withOutput(program.command('retire <type@version>'))
    .description('remove a frozen version that no record carries any more')
    .requiredOption('--evidence <file>', 'the JSON of waybill gate retire')
    .option('--schemas <folder>', 'the folder that holds messages/', 'schemas')
    .action(async (subject: string, options: OutputOptions & { evidence: string; schemas: string }) =>
      end(await retireCommand(terminal, subject, options)),
    );
  addDocumentCommands(program, terminal, end);
  return program;
}

/** What comes out of contracts, and a package to start from. */
function addDocumentCommands(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  onProject(program.command('manifest'))
    .description('what a build reads and writes, as JSON')
    .option('--build <name>', 'name of the build')
    .action(async (options: ProjectOptions & { build?: string }) => end(await manifestCommand(terminal, options)));
  onProject(program.command('docs'))
    .description('the contracts as a document')
    .addOption(
      new Option('--format <format>', 'for people or for tools').choices(['markdown', 'asyncapi']).default('markdown'),
    )
    .action(async (options: ProjectOptions & { format: 'markdown' | 'asyncapi' }) =>
      end(await docsCommand(terminal, options)),
    );
  withOutput(program.command('init <name> [folder]'))
    .description('start a contract package')
    .action(async (name: string, folder: string | undefined, options: OutputOptions) =>
      end(await initCommand(terminal, name, folder, options)),
    );
}

function onProject(command: Command): Command {
  return withOutput(command)
    .option(
      '--contracts <path...>',
      'contract packages: folders or modules (default: waybill.contracts of package.json, else the package here)',
    )
    .option('--schemas <folder>', 'the folder that holds messages/', 'schemas');
}

function withOutput(command: Command): Command {
  return command
    .option('--json', 'short for --output json')
    .addOption(new Option('--output <format>', 'how to answer').choices(['text', 'json']).default('text'));
}

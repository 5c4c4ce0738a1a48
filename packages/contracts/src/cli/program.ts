import { Command, CommanderError } from 'commander';
import { ContractError } from '../contract-error.ts';
import { compareCommand } from './compare-command.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** Runs one command line and says how it ended. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = EXIT_CODES.allowed;
  const program = new Command('waybill-contracts')
    .description('Versioned message contracts: lint, freeze, compare, check.')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.print(text.trimEnd()), writeErr: (text) => terminal.tell(text.trimEnd()) });
  const end = (result: ExitCode) => {
    code = result;
  };

  withOutput(program.command('compare [files...]'))
    .description('compare two schema files: may the edit keep the version?')
    .option('--pairs <file>', 'a JSON Lines file of { id, before, after }')
    .action(async (files: string[], options) => end(await compareCommand(terminal, files, options)));

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

function withOutput(command: Command): Command {
  return command.option('--json', 'short for --output json').option('--output <format>', 'text or json', 'text');
}

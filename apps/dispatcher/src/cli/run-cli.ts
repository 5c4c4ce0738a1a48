import { CommanderError } from 'commander';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { failureOf } from './failure.ts';
import { print, tell } from './output.ts';
import { createProgram } from './program.ts';

/** Runs one command line and returns its exit code. Never throws: whatever happens is told on standard error. */
export async function runCli(context: CliContext): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  const program = createProgram(context, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...context.args], { from: 'user' });
    return exitCode;
  } catch (error) {
    return reportFailure(context, error, program.opts<GlobalOptions>().output);
  }
}

function reportFailure(context: CliContext, error: unknown, output: GlobalOptions['output']): ExitCode {
  const { exitCode, code, problems } = failureOf(error);
  if (exitCode === EXIT.ok) return exitCode;
  // commander has told its own already.
  if (!(error instanceof CommanderError)) for (const problem of problems) tell(context, problem);
  // Whoever parses standard output gets a document in any case.
  if (output === 'json') print(context, output, { document: { error: { code, exitCode, problems } }, text: () => '' });
  return exitCode;
}

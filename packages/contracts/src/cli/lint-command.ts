import { lintMessage } from '../dialect/lint.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import { openProject, type ProjectOptions } from './project.ts';
import { type Terminal, wantsJson } from './terminal.ts';

/** `lint`: the dialect, absent values, alternatives that nothing tells apart, overdue drafts; each with what to write instead. */
export async function lintCommand(terminal: Terminal, options: ProjectOptions, today: string): Promise<ExitCode> {
  const { messages } = await openProject(terminal, options);
  const problems = messages.flatMap((message) => lintMessage(message, today));
  if (wantsJson(options))
    terminal.print(JSON.stringify({ schema: 'waybill.lint/v1', messages: messages.length, problems }));
  else {
    for (const { type, version, path, problem, instead } of problems)
      terminal.print(`${type}${version === null ? '' : `@${version}`} ${path}: ${problem}; ${instead}`);
    terminal.print(
      problems.length === 0 ? `${messages.length} message types, no problems` : `${problems.length} problems`,
    );
  }
  return problems.length === 0 ? EXIT_CODES.allowed : EXIT_CODES.newVersion;
}

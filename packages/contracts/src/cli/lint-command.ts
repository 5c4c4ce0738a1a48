import { type LintProblem, lintMessage } from '../dialect/lint.ts';
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
    for (const problem of problems) terminal.print(describeProblem(problem));
    terminal.print(
      problems.length === 0
        ? `${counted(messages.length, 'message type')}, no problems`
        : counted(problems.length, 'problem'),
    );
  }
  return problems.length === 0 ? EXIT_CODES.allowed : EXIT_CODES.newVersion;
}

export function describeProblem({ type, version, path, problem, instead }: LintProblem): string {
  return `${type}${version === null ? '' : `@${version}`} ${path}: ${problem}; ${instead}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

import type { ExitCode } from './exit-codes.ts';

/** What a command writes to and works in: the edge of the program, given in so that tests can stand in for it. */
export interface Terminal {
  readonly directory: string;
  /** Standard output: the answer, one line at a time. */
  print(line: string): void;
  /** Standard error: everything else. */
  tell(line: string): void;
}

/** A command ran or failed; only `main` turns the code into the end of the process. */
export type CommandResult = ExitCode | Promise<ExitCode>;

/** Options that every command has: `--json` is short for `--output json`. */
export interface OutputOptions {
  readonly json?: boolean;
  readonly output?: string;
}

export function wantsJson(options: OutputOptions): boolean {
  return options.json === true || options.output === 'json';
}

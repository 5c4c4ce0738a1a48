import type { CliContext, OutputFormat } from './context.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { jsonText, printable, printableLines } from './printable.ts';

/** Marks every JSON document of this program; `schemas/cli.json` describes them. They only grow: a member, once released, keeps its name and meaning. */
export const CLI_SCHEMA = 'waybill.cli/v1';

/** One result in both forms. The text is made only when it is asked for. */
export interface Output {
  readonly document: Readonly<Record<string, unknown>>;
  readonly text: () => string;
  /** The text is a file for another program, such as SQL: it leaves as it is. */
  readonly isFile?: true;
}

/** A result with how the command ends on it. */
export interface Outcome extends Output {
  readonly exitCode: ExitCode;
}

/** Writes a result to standard output in the form that was asked for. */
export function print(context: CliContext, format: OutputFormat, output: Output): void {
  const text = format === 'json' ? jsonText({ schema: CLI_SCHEMA, ...output.document }) : textOf(output);
  context.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

function textOf({ text, isFile }: Output): string {
  return isFile === true ? text() : printableLines(text());
}

/** Writes a result where it belongs: a document always is data; for people, what did not succeed is a message. */
export function conclude(context: CliContext, format: OutputFormat, exitCode: ExitCode, output: Output): ExitCode {
  if (exitCode === EXIT.ok || format === 'json') print(context, format, output);
  else tell(context, output.text());
  return exitCode;
}

/** Tells a person something, on standard error. */
export function tell(context: CliContext, message: string): void {
  context.stderr.write(`waybill: ${printableLines(message)}\n`);
}

/** Aligns rows in columns that two spaces part. */
export function table(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(printable));
  const widths = rows.reduce<readonly number[]>(
    (known, row) => row.map((cell, column) => Math.max(known[column] ?? 0, cell.length)),
    [],
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

import type { CliContext, OutputFormat } from './context.ts';

/** Marks every JSON document of this program. The documents only grow: a member, once released, keeps its name and meaning. */
export const CLI_SCHEMA = 'waybill.cli/v1';

/** One result in both forms. The text is made only when it is asked for. */
export interface Output {
  readonly document: Readonly<Record<string, unknown>>;
  readonly text: () => string;
}

/** Writes a result to standard output in the form that was asked for. */
export function print(context: CliContext, format: OutputFormat, output: Output): void {
  const text = format === 'json' ? JSON.stringify({ schema: CLI_SCHEMA, ...output.document }, null, 2) : output.text();
  context.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** Tells a person something, on standard error. */
export function tell(context: CliContext, message: string): void {
  context.stderr.write(`waybill: ${message}\n`);
}

/** Aligns rows in columns that two spaces part. */
export function table(rows: readonly (readonly string[])[]): string {
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

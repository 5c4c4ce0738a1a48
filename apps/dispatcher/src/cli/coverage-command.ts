import { type CoverageRow, coverage } from '@waybill/store';
import type { Command } from 'commander';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT } from './exit-code.ts';
import { print, table } from './output.ts';
import type { Finish } from './program.ts';
import { withConfiguredStore } from './with-store.ts';

export function addCoverageCommand(program: Command, context: CliContext, finish: Finish): void {
  program
    .command('coverage')
    .description('Show which running builds read which versions, and what waits for them.')
    .action(async (_options: unknown, command: Command) => {
      const { output, config: file } = command.optsWithGlobals<GlobalOptions>();
      const rows = await withConfiguredStore(context, file, coverage);
      print(context, output, { document: { versions: rows }, text: () => matrix(rows) });
      finish(EXIT.ok);
    });
}

function matrix(rows: readonly CoverageRow[]): string {
  const builds = [...new Set(rows.flatMap((row) => Object.keys(row.builds)))].sort();
  return table([
    ['version', 'pending', 'dead', ...builds, 'warning'],
    ...rows.map((row) => [
      `${row.type}@${String(row.version)}`,
      `${row.capped ? '>=' : ''}${String(row.pending)}`,
      String(row.deadLetters),
      ...builds.map((build) => String(row.builds[build] ?? '-')),
      row.warning ?? '',
    ]),
  ]);
}

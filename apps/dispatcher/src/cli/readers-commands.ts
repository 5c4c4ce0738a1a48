import { type DeclaredReader, declareReader, listReaders, withdrawReader } from '@waybill/store';
import { type Command, InvalidArgumentError } from 'commander';
import { parseInstant } from './arguments.ts';
import type { CliContext } from './context.ts';
import { EXIT } from './exit-code.ts';
import { readManifest } from './manifest-file.ts';
import { addOperatorOptions, operatorOf } from './operator-options.ts';
import { table } from './output.ts';
import { contractOf } from './record-output.ts';
import type { Act } from './rollout-commands.ts';

/** Builds that count without running: rollback targets, scripts, replayers. */
export function addReadersCommands(program: Command, context: CliContext, act: Act): void {
  const readers = program.command('readers').description('Declare builds that must be able to read what is written.');
  addOperatorOptions(readers.command('declare'))
    .description('Declare a rollback target, or a reader that does not run all the time.')
    .requiredOption('--manifest <file>', 'its manifest')
    .requiredOption('--until <time>', 'when the declaration ends', parseInstant)
    .action(async ({ manifest, until }: { manifest: string; until: Date }, command: Command) => {
      const { build, readers: reads } = readManifest(context.directory, manifest);
      const by = operatorOf(command);
      await act(command, async (store) => {
        const id = await declareReader(store, { build, reads, until }, by);
        return { document: { id, build, until: until.toISOString() }, text: `declared ${build} as reader ${id}` };
      });
    });

  readers
    .command('list')
    .description('List the declarations that count now.')
    .action(async (_options: unknown, command: Command) => {
      await act(command, async (store) => {
        const declared = await listReaders(store);
        const document = { readers: declared.map((reader) => ({ ...reader, until: reader.until.toISOString() })) };
        return { document, text: listText(declared) };
      });
    });

  addOperatorOptions(readers.command('withdraw').argument('<id>', 'the declaration, as readers list shows it', parseId))
    .description('End a declaration before its time.')
    .action(async (id: string, _options: unknown, command: Command) => {
      const by = operatorOf(command);
      await act(command, async (store) => {
        const status = await withdrawReader(store, id, by);
        return status === 'withdrawn'
          ? { document: { id, status }, text: `withdrew reader ${id}` }
          : { document: { id, status }, text: `there is no open declaration ${id}`, exitCode: EXIT.notFound };
      });
    });
}

/** The ids of declarations are those of a bigint column. */
function parseId(text: string): string {
  if (!/^[1-9]\d{0,17}$/.test(text)) throw new InvalidArgumentError('expected the number of a declaration.');
  return text;
}

function listText(declared: readonly DeclaredReader[]): string {
  const rows = declared.map(({ id, build, reads, until, actor, reason }) => [
    ...[id, build, until.toISOString(), actor, reason],
    Object.entries(reads)
      .flatMap(([type, versions]) => versions.map((version) => contractOf({ type, version })))
      .join(' '),
  ]);
  return table([['ID', 'BUILD', 'UNTIL', 'ACTOR', 'REASON', 'READS'], ...rows]);
}

import { type BackfillResult, backfillKeys, type KeylessRest } from '@waybill/store';
import type { Command } from 'commander';
import { loadDispatcher } from '../config/load.ts';
import { checkDispatcher } from './check-dispatcher.ts';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { untilInterrupted } from './interruption.ts';
import { conclude } from './output.ts';
import type { Finish } from './program.ts';
import { progressTo } from './progress.ts';
import { requireTables } from './require-tables.ts';
import { withStore } from './with-store.ts';

/** Adds `schema backfill-keys` to the commands of the tables. */
export function addBackfillCommand(schema: Command, context: CliContext, finish: Finish): void {
  schema
    .command('backfill-keys')
    .description('Write the record keys of messages from before there were any. Safe at any time. Exit code 75: again.')
    .action(async (_options: unknown, command: Command) => {
      const { output, config: file } = command.optsWithGlobals<GlobalOptions>();
      const loaded = await loadDispatcher({ ...context, file }, ['database.url']);
      const readers = checkDispatcher(loaded);
      const { settings } = loaded;
      const progress = progressTo(context);
      const onProgress = ({ filled }: { readonly filled: number }): void => progress(`wrote ${String(filled)} keys`);
      const result = await untilInterrupted(context.events, (signal) =>
        withStore({ settings, statementTimeoutMs: settings.database.statementTimeoutMs }, async (store) => {
          await requireTables(store, 'any-generation');
          return backfillKeys(store, readers, { signal, onProgress });
        }),
      );
      const text = (): string => describe(result);
      finish(conclude(context, output, EXIT_OF_OUTCOME[result.outcome], { document: { ...result }, text }));
    });
}

const EXIT_OF_OUTCOME: Readonly<Record<BackfillResult['outcome'], ExitCode>> = {
  complete: EXIT.ok,
  partial: EXIT.tryAgain,
  cancelled: EXIT.interrupted,
  'no-keys': EXIT.drift,
};

function describe(result: BackfillResult): string {
  switch (result.outcome) {
    case 'no-keys':
      return 'the tables have no keys yet: run waybill schema apply first';
    case 'cancelled':
      return `cancelled: wrote ${String(result.filled)} keys`;
    case 'complete':
      return `complete: wrote ${String(result.filled)} keys`;
    case 'partial':
      return [
        `partial: wrote ${String(result.filled)} keys, ${String(result.deferred)} messages are in hand; run it again`,
        ...result.unreadable.map(describeRest),
      ].join('\n');
  }
}

function describeRest({ type, version, why, count }: KeylessRest): string {
  return `not readable by this build: ${String(count)} of ${type}@${String(version)} (${why})`;
}

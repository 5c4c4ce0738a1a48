import { type Command, Option } from 'commander';
import { loadDispatcher } from '../config/load.ts';
import { runDispatcher } from '../run/run-dispatcher.ts';
import { checkDispatcher } from './check-dispatcher.ts';
import type { CliContext, GlobalOptions } from './context.ts';
import { tell } from './output.ts';
import type { Finish } from './program.ts';

export function addRunCommand(program: Command, context: CliContext, finish: Finish): void {
  program
    .command('run')
    .description('Run the dispatcher until SIGTERM or SIGINT. Logs JSON lines to standard output.')
    // Given by the dispatcher to the process that it starts for suspects.
    .addOption(new Option('--quarantine', 'handle suspects only').hideHelp())
    .action(async ({ quarantine = false }: { readonly quarantine?: boolean }, command: Command) => {
      const { config: file } = command.optsWithGlobals<GlobalOptions>();
      const loaded = await loadDispatcher({ ...context, file }, ['build', 'database.url']);
      for (const warning of loaded.warnings) tell(context, `warning: ${warning}`);
      const readers = checkDispatcher(loaded);
      const { events, stdout: log, startQuarantine } = context;
      const host = { events, log, startQuarantine };
      finish(await runDispatcher({ ...loaded, readers }, host, quarantine ? 'quarantine' : 'dispatcher'));
    });
}

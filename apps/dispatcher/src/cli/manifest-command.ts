import type { Command } from 'commander';
import { loadDispatcher } from '../config/load.ts';
import { manifestOf } from '../routes/manifest.ts';
import { checkDispatcher } from './check-dispatcher.ts';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT } from './exit-code.ts';
import type { Finish } from './program.ts';

export function addManifestCommand(program: Command, context: CliContext, finish: Finish): void {
  program
    .command('manifest')
    .description('Print which message versions this build reads and writes, as JSON. Connects to nothing.')
    .action(async (_options: unknown, command: Command) => {
      const { config: file } = command.optsWithGlobals<GlobalOptions>();
      const loaded = await loadDispatcher({ ...context, file }, ['build']);
      const manifest = manifestOf(loaded.settings.build, checkDispatcher(loaded), loaded.routes);
      // A format of its own, shared with `waybill-contracts manifest`; there is no other form of it.
      context.stdout.write(`${JSON.stringify(manifest, null, 2)}\n`);
      finish(EXIT.ok);
    });
}

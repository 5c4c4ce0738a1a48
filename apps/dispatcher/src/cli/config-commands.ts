import type { Command } from 'commander';
import { loadDispatcher } from '../config/load.ts';
import { valueAt } from '../config/path.ts';
import { shown } from '../config/problem.ts';
import { environmentReference } from '../config/reference.ts';
import type { Source } from '../config/resolve.ts';
import { SETTING_ROWS, type Settings } from '../config/settings.ts';
import { checkDispatcher } from './check-dispatcher.ts';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT } from './exit-code.ts';
import { print, table, tell } from './output.ts';
import type { Finish } from './program.ts';

export function addConfigCommands(program: Command, context: CliContext, finish: Finish): void {
  const config = program.command('config').description('Show and check the configuration.');

  config
    .command('env')
    .description('Print every environment variable with its meaning, as a .env file.')
    .action((_options: unknown, command: Command) => {
      const { output } = command.optsWithGlobals<GlobalOptions>();
      const variables = SETTING_ROWS.map(([path, { env, default: fallback, description }]) => ({
        name: env,
        path,
        default: fallback,
        description,
      }));
      print(context, output, { document: { variables }, text: environmentReference });
      finish(EXIT.ok);
    });

  config
    .command('check')
    .description('Check the configuration as a whole and show what results, and from where. Connects to nothing.')
    .action(async (_options: unknown, command: Command) => {
      const { output, config: file } = command.optsWithGlobals<GlobalOptions>();
      const loaded = await loadDispatcher({ ...context, file }, ['build']);
      checkDispatcher(loaded);
      for (const warning of loaded.warnings) tell(context, `warning: ${warning}`);
      const settings = describe(loaded.settings, loaded.sources);
      print(context, output, {
        document: { file: loaded.file, settings, warnings: loaded.warnings },
        text: () => table(settings.map(({ path, value, source }) => [path, shown(value), source])),
      });
      finish(EXIT.ok);
    });
}

interface DescribedSetting {
  readonly path: string;
  readonly value: unknown;
  readonly source: Source;
}

function describe(settings: Settings, sources: ReadonlyMap<string, Source>): readonly DescribedSetting[] {
  return SETTING_ROWS.map(([path, setting]) => {
    const value = valueAt(settings, path);
    const safe = setting.kind === 'secret' && value !== '' ? '[redacted]' : value;
    return { path, value: safe, source: sources.get(path) ?? 'default' };
  });
}

import { type GateReport, gateRetire, gateRollback, gateWriters, type Store, type VersionName } from '@waybill/store';
import type { Command } from 'commander';
import { parseVersionName } from './arguments.ts';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT_OF_VERDICT, gateOutput } from './gate-output.ts';
import { addGateOverrideCommand } from './gate-override-command.ts';
import { readManifest } from './manifest-file.ts';
import { print } from './output.ts';
import type { Finish } from './program.ts';
import { addPullGateCommand } from './pull-gate-command.ts';
import { addShadowReadCommand } from './shadow-read-command.ts';
import { withConfiguredStore } from './with-store.ts';

/** Asks one gate, prints its report, and ends with the exit code of its verdict. */
export type Judge = (command: Command, ask: (store: Store) => Promise<GateReport>) => Promise<void>;

/** The questions of a pipeline before it goes on: exit code 0 safe, 1 unsafe, 3 cannot tell. */
export function addGateCommands(program: Command, context: CliContext, finish: Finish): void {
  const gate = program
    .command('gate')
    .description('Ask whether a step of a rollout is safe: exit 0 yes, 1 no, 3 cannot tell.');

  async function judge(command: Command, ask: (store: Store) => Promise<GateReport>): Promise<void> {
    const { output, config: file } = command.optsWithGlobals<GlobalOptions>();
    const report = await withConfiguredStore(context, file, ask);
    print(context, output, gateOutput(report));
    finish(EXIT_OF_VERDICT[report.verdict]);
  }

  addPullGateCommand(gate, context, finish);
  addShadowReadCommand(gate, context, judge);
  addGateOverrideCommand(gate, context, finish);

  gate
    .command('writers')
    .description('May a build that writes these versions be deployed? Every running and declared build must read them.')
    .requiredOption('--manifest <file>', 'the manifest of the build')
    .action(async ({ manifest }: { readonly manifest: string }, command: Command) => {
      const build = readManifest(context.directory, manifest);
      await judge(command, (store) => gateWriters(store, build));
    });

  gate
    .command('rollback')
    .description('Can a build take over everything that has not ended, dead letters included?')
    .requiredOption('--to <file>', 'the manifest of the build to go back to')
    .action(async ({ to }: { readonly to: string }, command: Command) => {
      const build = readManifest(context.directory, to);
      await judge(command, (store) => gateRollback(store, build));
    });

  gate
    .command('retire')
    .description('Can the reader of a version be removed?')
    .argument('<type@version>', 'the version', parseVersionName)
    .action(async (name: VersionName, _options: unknown, command: Command) => {
      await judge(command, (store) => gateRetire(store, name));
    });
}

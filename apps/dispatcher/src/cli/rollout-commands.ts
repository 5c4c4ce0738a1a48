import {
  allowWrites,
  type Operator,
  pinVersion,
  type RetireResult,
  retireVersion,
  type Store,
  unpinVersion,
  type VersionName,
} from '@waybill/store';
import type { Command } from 'commander';
import { parseInstant, parseTally, parseVersionName } from './arguments.ts';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { addOperatorOptions, operatorOf } from './operator-options.ts';
import { print } from './output.ts';
import type { Finish } from './program.ts';
import { addReadersCommands } from './readers-commands.ts';
import { withConfiguredStore } from './with-store.ts';

/** What a command has done, in both forms of output. */
export interface Done {
  readonly document: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly exitCode?: ExitCode;
}

/** What an operator decides during a rollout. All of it is audited. */
export function addRolloutCommands(program: Command, context: CliContext, finish: Finish): void {
  async function act(command: Command, fn: (store: Store) => Promise<Done>): Promise<void> {
    const { output, config: file } = command.optsWithGlobals<GlobalOptions>();
    const { document, text, exitCode = EXIT.ok } = await withConfiguredStore(context, file, fn);
    print(context, output, { document, text: () => text });
    finish(exitCode);
  }
  addReadersCommands(program, context, act);
  addVersionsCommands(program, act);

  addOperatorOptions(program.command('retire').argument('<type@version>', 'the version', parseVersionName))
    .description('Retire a version: it is not written any more, and its reader may go. Checks the gate once more.')
    .requiredOption('--expect-revision <n>', 'the revision that gate retire showed', parseTally)
    .action(async (name: VersionName, { expectRevision }: { expectRevision: number }, command: Command) => {
      const by = operatorOf(command);
      await act(command, async (store) =>
        retired(await retireVersion(store, { ...name, expectedRevision: expectRevision }, by)),
      );
    });
}

/** Does one thing to the store and prints what it was. */
export type Act = (command: Command, fn: (store: Store) => Promise<Done>) => Promise<void>;

function addVersionsCommands(program: Command, act: Act): void {
  const versions = program.command('versions').description('Hold, ramp and free the written version of a type.');
  addOperatorOptions(
    versions.command('pin').argument('<type@version>', 'the newest version to write', parseVersionName),
  )
    .description('Write no newer version of the type. Holds at once.')
    .action(async (name: VersionName, _options: unknown, command: Command) => {
      const by = operatorOf(command);
      await act(command, (store) => pin(store, { ...name, percent: 100 }, by));
    });
  addOperatorOptions(versions.command('ramp').argument('<type@version>', 'the version to ramp up', parseVersionName))
    .description('Write the version for a share of the record keys, the one before it for the others.')
    .requiredOption('--percent <n>', 'the share of keys, 0 to 100', parseTally)
    .action(async (name: VersionName, { percent }: { percent: number }, command: Command) => {
      const by = operatorOf(command);
      await act(command, (store) => pin(store, { ...name, percent }, by));
    });
  addOperatorOptions(versions.command('unpin').argument('<type>', 'the type'))
    .description('Write the newest version that all can read again.')
    .action(async (type: string, _options: unknown, command: Command) => {
      const by = operatorOf(command);
      await act(command, async (store) => {
        const { before } = await unpinVersion(store, type, by);
        return before === null
          ? { document: { type, before }, text: `${type} is not pinned`, exitCode: EXIT.notFound }
          : { document: { type, before }, text: `unpinned ${type}` };
      });
    });
  addOperatorOptions(versions.command('allow').argument('<type@version>', 'the version', parseVersionName))
    .description('Allow writers that ask for it to write a version that somebody cannot read.')
    .requiredOption('--until <time>', 'when that ends', parseInstant)
    .action(async (name: VersionName, { until }: { until: Date }, command: Command) => {
      const by = operatorOf(command);
      await act(command, async (store) => {
        await allowWrites(store, { ...name, until }, by);
        const text = `allowed ${name.type}@${String(name.version)} until ${until.toISOString()}`;
        return { document: { ...name, until: until.toISOString() }, text };
      });
    });
}

async function pin(store: Store, to: VersionName & { readonly percent: number }, by: Operator): Promise<Done> {
  const { before } = await pinVersion(store, to, by);
  return {
    document: { ...to, before },
    text: `${to.type} is written up to version ${String(to.version)} by ${String(to.percent)}% of its keys`,
  };
}

function retired(result: RetireResult): Done {
  switch (result.status) {
    case 'retired':
      return { document: { ...result }, text: `retired, revision ${String(result.revision)}` };
    case 'not-found':
      return { document: { ...result }, text: 'the store does not know this version', exitCode: EXIT.notFound };
    case 'already-retired':
      return { document: { ...result }, text: 'it was retired already' };
    case 'revision-moved':
      return {
        document: { ...result },
        text: `refused: the revision is ${String(result.revision)} now; ask the gate again`,
        exitCode: EXIT.refused,
      };
    case 'blocked':
      return {
        document: { ...result },
        text: ['refused:', ...result.blockers.map(({ detail }) => detail)].join('\n  '),
        exitCode: EXIT.refused,
      };
  }
}

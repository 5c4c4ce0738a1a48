import { type LiveDispatcher, liveDispatchers } from '@waybill/store';
import type { Command } from 'commander';
import type { CliContext, GlobalOptions } from './context.ts';
import { addDrainCommand } from './drain-command.ts';
import { EXIT } from './exit-code.ts';
import { print, table } from './output.ts';
import type { Finish } from './program.ts';
import { withConfiguredStore } from './with-store.ts';

export function addDispatchersCommand(program: Command, context: CliContext, finish: Finish): void {
  const dispatchers = program.command('dispatchers').description('Look at the running dispatchers, and drain them.');

  dispatchers
    .command('list')
    .description('List the dispatchers that claim now: seen within half a minute, and not draining.')
    .action(async (_options: unknown, command: Command) => {
      const { output, config } = command.optsWithGlobals<GlobalOptions>();
      const { dispatchers: live } = await withConfiguredStore(context, config, liveDispatchers, 'any-generation');
      print(context, output, { document: { dispatchers: live.map(listed) }, text: () => listText(live) });
      finish(EXIT.ok);
    });

  addDrainCommand(dispatchers, context, finish);
}

export interface ListedDispatcher {
  readonly id: string;
  readonly build: string;
  readonly seenSecondsAgo: number;
  /** How many contracts it reads. */
  readonly contracts: number;
  /** What it has given up since it turned out not to read it, as `type@version`. */
  readonly unreadable: readonly string[];
}

export const listed = ({ id, build, seenMsAgo, contractIds, unreadable }: LiveDispatcher): ListedDispatcher => ({
  id,
  build,
  seenSecondsAgo: seenMsAgo / 1_000,
  contracts: contractIds.length,
  unreadable,
});

function listText(dispatchers: readonly LiveDispatcher[]): string {
  const rows = dispatchers.map(({ id, build, seenMsAgo, contractIds, unreadable }) => [
    id,
    build,
    `${String(Math.round(seenMsAgo / 1_000))} s ago`,
    String(contractIds.length),
    unreadable.join(', '),
  ]);
  return table([['ID', 'BUILD', 'SEEN', 'CONTRACTS', 'UNREADABLE'], ...rows]);
}

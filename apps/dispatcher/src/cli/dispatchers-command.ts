import { type LiveDispatcher, liveDispatchers } from '@waybill/store';
import type { Command } from 'commander';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT } from './exit-code.ts';
import { print, table } from './output.ts';
import type { Finish } from './program.ts';
import { withConfiguredStore } from './with-store.ts';

export function addDispatchersCommand(program: Command, context: CliContext, finish: Finish): void {
  program
    .command('dispatchers')
    .description('Look at the running dispatchers.')
    .command('list')
    .description('List the dispatchers that claim now: seen within half a minute, and not draining.')
    .action(async (_options: unknown, command: Command) => {
      const { output, config } = command.optsWithGlobals<GlobalOptions>();
      const { dispatchers } = await withConfiguredStore(context, config, liveDispatchers);
      print(context, output, { document: { dispatchers: dispatchers.map(listed) }, text: () => listText(dispatchers) });
      finish(EXIT.ok);
    });
}

export interface ListedDispatcher {
  readonly id: string;
  readonly build: string;
  readonly seenSecondsAgo: number;
  /** How many contracts it reads. */
  readonly contracts: number;
}

export const listed = ({ id, build, seenMsAgo, contractIds }: LiveDispatcher): ListedDispatcher => ({
  id,
  build,
  seenSecondsAgo: seenMsAgo / 1_000,
  contracts: contractIds.length,
});

function listText(dispatchers: readonly LiveDispatcher[]): string {
  const rows = dispatchers.map(({ id, build, seenMsAgo, contractIds }) => [
    id,
    build,
    `${String(Math.round(seenMsAgo / 1_000))} s ago`,
    String(contractIds.length),
  ]);
  return table([['ID', 'BUILD', 'SEEN', 'CONTRACTS'], ...rows]);
}

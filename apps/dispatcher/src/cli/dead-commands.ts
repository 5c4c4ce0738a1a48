import { type DiscardResult, discard, type RecordFilter } from '@waybill/store';
import type { Command } from 'commander';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT } from './exit-code.ts';
import { DEAD_LIST_TERMS, filterOption } from './filter-option.ts';
import { addPageOptions, addShowCommand, type PageOptions, printPage } from './messages-commands.ts';
import { exitOfNotOpen, notOpenText } from './not-open.ts';
import { addOperatorOptions, operatorOf } from './operator-options.ts';
import { conclude } from './output.ts';
import type { Finish } from './program.ts';
import { addReplayCommand } from './replay-command.ts';
import { withConfiguredStore } from './with-store.ts';

export function addDeadCommands(program: Command, context: CliContext, finish: Finish): void {
  const dead = program.command('dead').description('Look at dead messages, replay or discard them.');

  addPageOptions(dead.command('list').description('List dead messages page by page, without their payloads.'))
    .addOption(filterOption(DEAD_LIST_TERMS))
    .action(async (_options: unknown, command: Command) => {
      const { filter = {}, ...options } = command.optsWithGlobals<PageOptions>();
      const dead: RecordFilter = { ...filter, state: 'dead-letter' };
      await printPage(context, options, dead);
      finish(EXIT.ok);
    });

  addShowCommand(dead, context, finish);
  addReplayCommand(dead, context, finish);

  addOperatorOptions(
    dead.command('discard <id>').description('Give a dead message up for good. A key that it holds goes on.'),
  ).action(async (id: string, _options: unknown, command: Command) => {
    const { output, config } = command.optsWithGlobals<GlobalOptions>();
    const by = operatorOf(command);
    const result = await withConfiguredStore(context, config, (store) => discard(store, id, by));
    const exitCode = result.status === 'done' ? EXIT.ok : exitOfNotOpen(result);
    finish(conclude(context, output, exitCode, { document: { ...result }, text: () => discardText(id, result) }));
  });
}

function discardText(id: string, result: DiscardResult): string {
  return result.status === 'done' ? `discarded ${id}` : notOpenText(id, result);
}

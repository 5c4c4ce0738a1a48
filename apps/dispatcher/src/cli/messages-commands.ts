import { listRecords, type RecordFilter, readRecord } from '@waybill/store';
import { type Command, Option } from 'commander';
import { parseCount } from './arguments.ts';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT } from './exit-code.ts';
import { filterOption, MESSAGE_TERMS } from './filter-option.ts';
import { conclude, print } from './output.ts';
import type { Finish } from './program.ts';
import { historyOutput, pageOutput } from './record-output.ts';
import { payloadReader } from './reveal-payload.ts';
import { withConfiguredStore } from './with-store.ts';

export interface PageOptions extends GlobalOptions {
  readonly filter?: RecordFilter;
  readonly order: 'newest' | 'oldest';
  readonly limit?: number;
  readonly after?: string;
}

export function addMessagesCommands(program: Command, context: CliContext, finish: Finish): void {
  const messages = program.command('messages').description('Look at messages in any state.');

  addPageOptions(messages.command('list').description('List messages page by page, without their payloads.'))
    .addOption(filterOption(MESSAGE_TERMS))
    .action(async (_options: unknown, command: Command) => {
      const { filter = {}, ...options } = command.optsWithGlobals<PageOptions>();
      await printPage(context, options, filter);
      finish(EXIT.ok);
    });

  addShowCommand(messages, context, finish);
}

export function addPageOptions(command: Command): Command {
  return command
    .addOption(new Option('--order <order>', 'by the order of writing').choices(['newest', 'oldest']).default('newest'))
    .option('--limit <count>', 'messages in the page: 50 unless given, at most 500', parseCount)
    .option('--after <token>', 'the "next" of the page before, with the same filter and order');
}

/** A page may be short, or empty, and still have a next one: it looks at a bounded number of rows. */
export async function printPage(context: CliContext, options: PageOptions, filter: RecordFilter): Promise<void> {
  const { output, config, order, limit, after } = options;
  const page = await withConfiguredStore(context, config, (store) =>
    listRecords(store, filter, {
      order,
      ...(limit === undefined ? {} : { limit }),
      ...(after === undefined ? {} : { after }),
    }),
  );
  print(context, output, pageOutput(page));
}

/** `show <id>`, the same for a message in any state and for a dead one. */
export function addShowCommand(parent: Command, context: CliContext, finish: Finish): void {
  parent
    .command('show <id>')
    .description('Show one message with its whole history.')
    .option('--payload', 'show payload and headers too, read by the contracts of the configuration')
    .action(async (id: string, _options: unknown, command: Command) => {
      const { output, config, payload } = command.optsWithGlobals<GlobalOptions & { readonly payload?: boolean }>();
      const reveal = payload === true ? await payloadReader(context, config) : null;
      const record = await withConfiguredStore(context, config, (store) => readRecord(store, id));
      finish(
        record === null
          ? conclude(context, output, EXIT.notFound, {
              document: { record: null },
              text: () => `there is no message ${id}`,
            })
          : conclude(context, output, EXIT.ok, historyOutput(record, reveal === null ? null : reveal(record))),
      );
    });
}

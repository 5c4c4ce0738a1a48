import type { DeadLetterFilter } from '@waybill/store';
import type { Command } from 'commander';
import { parseRate, parseTally } from './arguments.ts';
import type { CliContext, GlobalOptions } from './context.ts';
import { filterOption, REPLAY_TERMS } from './filter-option.ts';
import { addOperatorOptions, operatorOf } from './operator-options.ts';
import { conclude, type Outcome } from './output.ts';
import type { Finish } from './program.ts';
import { previewMany, replayAll } from './replay-many.ts';
import { previewOne, replayOne } from './replay-one.ts';
import { withConfiguredStore } from './with-store.ts';

interface ReplayOptions extends GlobalOptions {
  readonly filter?: DeadLetterFilter;
  readonly expectCount?: number;
  readonly maxPerSecond?: number;
  readonly allowOutOfOrder?: boolean;
  readonly dryRun?: boolean;
}

export function addReplayCommand(dead: Command, context: CliContext, finish: Finish): void {
  addOperatorOptions(
    dead
      .command('replay [id]')
      .description('Send a dead message again, or all that a filter names: same id, payload, key and headers.')
      .addOption(filterOption(REPLAY_TERMS))
      .option(
        '--expect-count <count>',
        'with --filter: how many there are; with another number nothing is done',
        parseTally,
      )
      .option('--max-per-second <rate>', 'with --filter: spares the target', parseRate)
      .option('--allow-out-of-order', 'with an id: also when newer messages of its key were delivered since')
      .option('--dry-run', 'only show what would be replayed, and what that would overtake'),
  ).action(async (id: string | undefined, _options: unknown, command: Command) => {
    const options = command.optsWithGlobals<ReplayOptions>();
    const outcome = await (id === undefined ? many(context, command, options) : one(context, command, options, id));
    finish(conclude(context, options.output, outcome.exitCode, outcome));
  });
}

async function one(context: CliContext, command: Command, options: ReplayOptions, id: string): Promise<Outcome> {
  const { config, filter, expectCount, maxPerSecond, allowOutOfOrder = false, dryRun = false } = options;
  if (filter !== undefined || expectCount !== undefined || maxPerSecond !== undefined)
    command.error('error: give either an id or --filter with --expect-count');
  if (dryRun) return withConfiguredStore(context, config, (store) => previewOne(store, id));
  const by = operatorOf(command);
  return withConfiguredStore(context, config, (store) => replayOne(store, id, { by, allowOutOfOrder }));
}

async function many(context: CliContext, command: Command, options: ReplayOptions): Promise<Outcome> {
  const { config, filter, expectCount, maxPerSecond, dryRun = false } = options;
  if (filter === undefined) return command.error('error: give an id, or --filter with --expect-count');
  if (dryRun) return withConfiguredStore(context, config, (store) => previewMany(store, filter));
  if (expectCount === undefined)
    return command.error('error: say --expect-count; --dry-run shows how many there are now');
  const by = operatorOf(command);
  return withConfiguredStore(context, config, (store) =>
    replayAll(context, store, {
      filter,
      expectedCount: expectCount,
      by,
      ...(maxPerSecond === undefined ? {} : { maxPerSecond }),
    }),
  );
}

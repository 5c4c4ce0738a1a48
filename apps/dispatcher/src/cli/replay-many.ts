import {
  countReplayable,
  type DeadLetterFilter,
  type Operator,
  type ReplayManyResult,
  replayMany,
  type Store,
} from '@waybill/store';
import type { CliContext } from './context.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { untilInterrupted } from './interruption.ts';
import type { Outcome } from './output.ts';
import { progressTo } from './progress.ts';

export interface ReplayAllRequest {
  readonly filter: DeadLetterFilter;
  readonly expectedCount: number;
  readonly maxPerSecond?: number;
  readonly by: Operator;
}

/** Shows how many dead letters a filter means now: the number for `--expect-count`. */
export async function previewMany(store: Store, filter: DeadLetterFilter): Promise<Outcome> {
  const { count, capped } = await countReplayable(store, filter);
  return {
    exitCode: EXIT.ok,
    document: { status: 'replayable', count, capped },
    text: () => `would replay ${capped ? 'at least ' : ''}${String(count)} messages`,
  };
}

/** Replays what a filter means, until it is done or interrupted. What was replayed stays replayed. */
export async function replayAll(
  context: CliContext,
  store: Store,
  { by, ...request }: ReplayAllRequest,
): Promise<Outcome> {
  const progress = progressTo(context);
  return untilInterrupted(context.events, async (signal) => {
    const onProgress = (replayed: number): void =>
      progress(`replayed ${String(replayed)} of ${String(request.expectedCount)}`);
    const result = await replayMany(store, { ...request, signal, onProgress }, by);
    return { exitCode: exitOf(result), document: { ...result }, text: () => textOf(result) };
  });
}

function exitOf(result: ReplayManyResult): ExitCode {
  switch (result.status) {
    case 'count-moved':
      return EXIT.refused;
    case 'cancelled':
      return EXIT.interrupted;
    case 'done':
      return result.busy > 0 ? EXIT.tryAgain : EXIT.ok;
  }
}

function textOf(result: ReplayManyResult): string {
  if (result.status === 'count-moved')
    return `there are ${result.capped ? 'at least ' : ''}${String(result.count)} now, nothing was done`;
  const { status, replayed, gone, busy } = result;
  return `${status}: replayed ${String(replayed)}, ${String(gone)} were gone, ${String(busy)} stay dead because their key was busy`;
}

import { once } from 'node:events';
import type { ContenderName } from '../contender/contenders.ts';
import type { ConsumeOrder, ConsumeReport } from './consuming.ts';
import { start, TASK_PROGRAM, WAYBILL_CONFIG, waybillProgram } from './program.ts';
import type { Tally } from './tally.ts';
import type { Task } from './task.ts';

/** A process that consumes. */
export interface Consumer {
  readonly pid: number | undefined;
  readonly handled: () => number;
  /** Resolves whenever it has handled more, and when it has ended. */
  readonly progress: () => Promise<unknown>;
  /** Ends it and gives what it has seen. */
  readonly stop: () => Promise<Tally>;
}

export function startConsumer(contender: ContenderName, url: string, order: ConsumeOrder): Consumer {
  const environment = { WAYBILL_BENCH_CONSUME: JSON.stringify(order), WAYBILL_DATABASE_URL: url };
  const task: Task = { kind: 'consume', contender, url };
  const child =
    contender === 'waybill'
      ? start(waybillProgram(), ['run', '--config', WAYBILL_CONFIG], environment)
      : start(TASK_PROGRAM, [JSON.stringify(task)], environment);
  let handled = 0;
  let tally: Tally | undefined;
  child.on('message', (report: ConsumeReport) => {
    if (report.kind === 'progress') handled = report.handled;
    if (report.kind === 'tally') tally = report.tally;
  });
  const ended = once(child, 'exit');
  return {
    pid: child.pid,
    handled: () => handled,
    progress: () => Promise.race([once(child, 'message'), ended]),
    async stop() {
      child.send('stop');
      // Progress that was on its way comes first.
      while (tally === undefined && child.exitCode === null) await Promise.race([once(child, 'message'), ended]);
      if (contender === 'waybill') child.kill('SIGTERM');
      await ended;
      if (tally === undefined) throw new Error(`${contender} ended without a tally`);
      return tally;
    },
  };
}

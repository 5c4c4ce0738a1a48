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
  const waiting: (() => void)[] = [];
  child.on('message', (report: ConsumeReport) => {
    if (report.kind === 'progress') handled = report.handled;
    if (report.kind === 'tally') tally = report.tally;
    for (const resolve of waiting.splice(0)) resolve();
  });
  const ended = once(child, 'exit');
  // One listener for all who wait: of several processes most are waited for in vain, and each would leave its listener behind.
  const news = () => Promise.race([new Promise<void>((resolve) => waiting.push(resolve)), ended]);
  return {
    pid: child.pid,
    handled: () => handled,
    progress: news,
    async stop() {
      child.send('stop');
      // Progress that was on its way comes first.
      while (tally === undefined && child.exitCode === null) await news();
      if (contender === 'waybill') child.kill('SIGTERM');
      await ended;
      if (tally === undefined) throw new Error(`${contender} ended without a tally`);
      return tally;
    },
  };
}

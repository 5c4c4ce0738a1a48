import { once } from 'node:events';
import { start, TASK_PROGRAM } from './program.ts';
import type { Task, TaskResults } from './task.ts';

/** Runs one task in a process of its own and gives its result. */
export async function runTask<T extends Task>(task: T): Promise<TaskResults[T['kind']]> {
  const child = start(TASK_PROGRAM, [JSON.stringify(task)], {});
  let answer: { readonly result: TaskResults[T['kind']] } | undefined;
  child.on('message', (message) => {
    // The only message that a task sends, but for the reports of consuming ones, which are not started here.
    answer = message as { readonly result: TaskResults[T['kind']] };
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (answer === undefined) throw new Error(`the task ${task.kind} ended with ${String(code)} and without a result`);
  return answer.result;
}

import type { ConsumeOrder } from './process/consuming.ts';
import { doTask } from './process/do-task.ts';
import { processMeter, processParent } from './process/edge.ts';
import type { Task } from './process/task.ts';

// Both are written by runTask and startConsumer beside this file, and by nobody else.
const task = JSON.parse(process.argv[2] ?? '') as Task;
const consumeOrder = (): ConsumeOrder => JSON.parse(process.env['WAYBILL_BENCH_CONSUME'] ?? '') as ConsumeOrder;

const parent = processParent(process);
const result = await doTask(task, { parent, meter: processMeter(process, performance), consumeOrder });
process.send?.({ kind: 'result', result });
parent.leave();

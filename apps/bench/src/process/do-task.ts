import { loadBroker } from '../broker/brokers.ts';
import { publishDirect } from '../broker/publish-direct.ts';
import { loadContender } from '../contender/contenders.ts';
import type { ConsumeOrder, Parent } from './consuming.ts';
import { handlerFor } from './consuming.ts';
import { compareEnqueue } from './enqueue-task.ts';
import { fill, fillStuck, stream } from './produce.ts';
import type { Meter } from './tally.ts';
import type { Task, TaskResults } from './task.ts';

export interface TaskSurroundings {
  readonly parent: Parent;
  readonly meter: Meter;
  readonly consumeOrder: () => ConsumeOrder;
}

/** Does one task to its end. Runs in a process of its own, so that no contender shares a heap or an event loop with another. */
export async function doTask(task: Task, surroundings: TaskSurroundings): Promise<TaskResults[Task['kind']]> {
  const { now } = surroundings.meter;
  switch (task.kind) {
    case 'set-up':
      await (await loadContender(task.contender)).setUp(task.url);
      return null;
    case 'fill':
      return fill(await loadContender(task.contender), task, now);
    case 'fill-stuck':
      await fillStuck(await loadContender(task.contender), task);
      return null;
    case 'stream':
      return stream(await loadContender(task.contender), task, now);
    case 'enqueue':
      return compareEnqueue(task, now);
    case 'prepare-broker':
      await (await loadBroker(task.address.broker)).prepare(task.address);
      return null;
    case 'count-broker':
      return (await loadBroker(task.address.broker)).held(task.address);
    case 'publish-direct':
      return publishDirect(task, now);
    case 'consume':
      await consume(task, surroundings);
      return null;
  }
}

async function consume(
  task: Extract<Task, { kind: 'consume' }>,
  { parent, meter, consumeOrder }: TaskSurroundings,
): Promise<void> {
  const contender = await loadContender(task.contender);
  if (contender.consume === undefined) throw new TypeError(`${task.contender} is consumed by a program of its own`);
  const stopped = new Promise<void>((resolve) => parent.onStop(resolve));
  const consumption = await contender.consume(task.url, handlerFor(consumeOrder(), parent, meter));
  await stopped;
  await consumption.stop();
}

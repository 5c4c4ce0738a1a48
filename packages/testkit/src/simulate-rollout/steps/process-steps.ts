import { nameOf } from '../build.ts';
import { SimulatedDispatcher } from '../simulated-dispatcher.ts';
import { type OpenTransaction, SimulatedService } from '../simulated-service.ts';
import type { StepOf } from '../step.ts';
import { nth, type World } from '../world.ts';

const running = ({ dispatchers }: World): readonly SimulatedDispatcher[] =>
  dispatchers.filter(({ state }) => state === 'running');

export async function deploy(world: World, { build }: StepOf<'deploy'>): Promise<void> {
  // Whoever registers a contract waits for a transaction that was the first to write it, and nobody else could end that meanwhile.
  for (const transaction of world.transactions.filter((open) => isFirstWriter(world, open)))
    await transaction.end('commit');
  await SimulatedDispatcher.start(world, world.build(build));
}

export async function changeDispatcher(
  world: World,
  step: StepOf<'stop' | 'crash' | 'pause' | 'resume'>,
): Promise<void> {
  const wanted = step.do === 'resume' ? 'paused' : 'running';
  const dispatcher = nth(
    world.dispatchers.filter(({ state }) => state === wanted),
    step.dispatcher,
  );
  if (dispatcher === undefined) return;
  switch (step.do) {
    case 'stop':
      return dispatcher.stop();
    case 'crash':
      dispatcher.state = 'gone';
      world.lostOne = true;
      return;
    case 'pause':
      dispatcher.state = 'paused';
      world.lostOne = true;
      return;
    case 'resume':
      dispatcher.state = 'running';
      world.registryChanges();
      // What it was about to write down before it was held comes first.
      await dispatcher.settle();
      return dispatcher.beat();
  }
}

export async function work(world: World, step: StepOf<'work' | 'take' | 'settle'>): Promise<void> {
  const dispatcher = nth(running(world), step.dispatcher);
  if (dispatcher === undefined) return;
  if (step.do !== 'settle') await dispatcher.take(step.limit, step.answers);
  if (step.do !== 'take') await dispatcher.settle();
  await dispatcher.beat();
}

export async function drain(world: World): Promise<void> {
  for (const dispatcher of running(world)) await dispatcher.drain();
}

/** Time passes for the store; who runs shows that it does, and keeps its leases. */
export async function pass(world: World, ms: number): Promise<void> {
  await world.target.pass(ms);
  world.registry.now += ms;
  for (const dispatcher of running(world)) await dispatcher.beat();
}

export function startService(world: World, { build }: StepOf<'start-service'>): void {
  world.services.push(new SimulatedService(world, world.build(build)));
}

export async function stopService(world: World, { service: number }: StepOf<'stop-service'>): Promise<void> {
  const service = nth(world.services, number);
  if (service !== undefined) world.services.splice(world.services.indexOf(service), 1);
}

/** A key that an open transaction has written would keep every other writer waiting, and so would a version that it was the first to write. */
const isBusy = (world: World, key: string): boolean =>
  world.transactions.some((open) => open.keys.has(key) || isFirstWriter(world, open));

export async function enqueue(world: World, { service, messages }: StepOf<'enqueue'>): Promise<void> {
  const free = messages.filter(({ key }) => !isBusy(world, key));
  if (free.length > 0) await nth(world.services, service)?.enqueue(free);
}

export async function begin(world: World, { service, isolation }: StepOf<'begin'>): Promise<void> {
  const transaction = await nth(world.services, service)?.begin(isolation);
  if (transaction !== undefined) world.transactions.push(transaction);
}

export async function write(world: World, step: StepOf<'write'>): Promise<void> {
  const transaction = nth(world.transactions, step.transaction);
  const others = world.transactions.filter((other) => other !== transaction);
  if (!others.some((other) => other.keys.has(step.key) || isFirstWriter(world, other))) await transaction?.write(step);
}

/** Whether a transaction has written a version that nobody had registered before. */
function isFirstWriter({ registry }: World, { written }: OpenTransaction): boolean {
  return written.some((name) => !registry.known.has(nameOf(name)));
}

export async function endTransaction(world: World, step: StepOf<'commit' | 'abort'>): Promise<void> {
  await nth(world.transactions, step.transaction)?.end(step.do);
}

import { nameOf } from '../build.ts';
import { hold } from '../fault.ts';
import type { Message } from '../model/ledger.ts';
import type { OpenTransaction } from '../simulated-service.ts';
import type { StepOf } from '../step.ts';
import { nth, type World } from '../world.ts';

/** Longer than most passages of time, so that some declarations run out. */
const DECLARED_MS = 500_000;

/**
 * An operator's change waits for the transactions that stand in its way, and nothing else happens here meanwhile: they commit while it waits, and
 * what it does comes after them.
 */
export async function behind<T>(blockers: readonly OpenTransaction[], act: () => Promise<T>): Promise<T> {
  const [result] = await Promise.all([act(), commitAll(blockers)]);
  return result;
}

async function commitAll(transactions: readonly OpenTransaction[]): Promise<void> {
  for (const transaction of transactions) await transaction.end('commit');
}

/** Outside READ COMMITTED a writer locks the rows of its contracts, which every decision about the type changes. */
export const lockers = ({ transactions }: World, types: readonly string[]): readonly OpenTransaction[] =>
  transactions.filter(
    ({ isolation, types: tried }) => isolation !== 'read committed' && types.some((type) => tried.has(type)),
  );

/** Gives the id of the declaration. */
export async function declare(world: World, build: string, forMs: number = DECLARED_MS): Promise<string> {
  const { readers } = world.build(build).manifest;
  const types = Object.keys(readers);
  const id = await behind(lockers(world, types), () => world.target.operator.declare(build, readers, forMs));
  world.registry.declarations.push({ id, build, reads: readers, until: world.now + forMs });
  world.registryChanges();
  return id;
}

export async function withdraw(world: World, { declaration: number }: StepOf<'withdraw'>): Promise<void> {
  const declaration = nth(world.registry.openDeclarations(), number);
  if (declaration === undefined) return;
  await world.target.operator.withdraw(declaration.id);
  declaration.until = world.now;
  world.registryChanges();
}

export async function pin(world: World, { type, version, percent }: StepOf<'pin'>): Promise<void> {
  await behind(lockers(world, [type]), () => world.target.operator.pin({ type, version }, percent));
  world.registry.pins.set(type, { version, percent });
  world.registryChanges();
}

export async function unpin(world: World, { type }: StepOf<'unpin'>): Promise<void> {
  if (!world.registry.pins.has(type)) return;
  await behind(lockers(world, [type]), () => world.target.operator.unpin(type));
  world.registry.pins.delete(type);
  world.registryChanges();
}

/** The word of an operator that a version may be written anyway: what was called safe before is not any more. */
export async function allow(world: World, { type, version }: StepOf<'allow'>): Promise<void> {
  const name = { type, version };
  await world.target.operator.allow(name, DECLARED_MS);
  world.registry.overrides.set(nameOf(name), world.now + DECLARED_MS);
  world.safeRollbacks.splice(0);
  world.registryChanges();
}

export async function actOnDeadLetter(world: World, step: StepOf<'replay' | 'discard'>): Promise<void> {
  const message = nth(world.ledger.dead(), step.deadLetter);
  if (message === undefined) return;
  if (step.do === 'replay') return replay(world, message);
  const done = await world.target.operator.discard(message.id);
  hold(done, 'state', () => `${message.id} is dead and could not be discarded`);
  world.ledger.discard(message);
  // Its key goes on with the next sweep.
  await world.target.sweep();
}

export async function replay(world: World, message: Message): Promise<void> {
  const writers = world.transactions.filter(({ keys }) => keys.has(message.key));
  const done = await behind(writers, () => world.target.operator.replay(message.id));
  hold(done, 'lost', () => `${message.id} is dead and could not be replayed`);
  world.ledger.replay(message);
}

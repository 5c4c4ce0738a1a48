import { nameOf } from '../build.ts';
import { hold } from '../fault.ts';
import { describe } from '../model/ledger.ts';
import { answered, type ExpectedAnswer, retireAnswer, rollbackAnswer, writersAnswer } from '../model/verdicts.ts';
import { SimulatedDispatcher } from '../simulated-dispatcher.ts';
import type { StepOf } from '../step.ts';
import type { GateAnswer } from '../target.ts';
import type { World } from '../world.ts';
import { behind, declare } from './operator-steps.ts';
import { drain, pass } from './process-steps.ts';

/** Longer than every silence that the registry puts up with, and than every delay. */
const LONG_MS = 4_000_000;

function judge(world: World, gate: string, given: GateAnswer, expected: ExpectedAnswer): GateAnswer['verdict'] {
  world.count(`${gate} ${given.verdict}`);
  const said = answered(given);
  const told = ({ verdict, records }: ExpectedAnswer): string =>
    `${verdict}, with ${records.length === 0 ? 'nothing' : records.join(', ')} in the way`;
  const agrees = said.verdict === expected.verdict && said.records.join() === expected.records.join();
  hold(agrees, 'gate', () => `gate ${gate} said ${told(said)}; it is ${told(expected)}`);
  return given.verdict;
}

export async function gateWriters(world: World, name: string): Promise<void> {
  const { manifest } = world.build(name);
  judge(world, 'writers', await world.target.operator.gateWriters(manifest), writersAnswer(manifest, world.registry));
}

export async function gateRollback(world: World, name: string): Promise<GateAnswer['verdict']> {
  const { manifest } = world.build(name);
  const open = world.transactions.flatMap(({ written }) => written);
  const answer = await world.target.operator.gateRollback(manifest);
  return judge(
    world,
    'rollback',
    answer,
    rollbackAnswer(manifest, { ledger: world.ledger, registry: world.registry, open }),
  );
}

export async function gateRetire(
  world: World,
  { type, version }: StepOf<'gate-retire' | 'retire'>,
): Promise<number | null> {
  const name = { type, version };
  const answer = await world.target.operator.gateRetire(name);
  judge(world, 'retire', answer, retireAnswer(name, world.ledger, world.registry));
  return answer.revision;
}

/** Asks the gate and retires, whatever it said: the retirement has to check for itself. */
export async function retire(world: World, step: StepOf<'retire'>): Promise<void> {
  const { registry, ledger, transactions } = world;
  const name = { type: step.type, version: step.version };
  const revision = await gateRetire(world, step);
  const writers = transactions.filter(({ types }) => types.has(step.type));
  const result = await behind(writers, () => world.target.operator.retire(name, revision ?? 1));
  world.count(`retirement ${result}`);
  const expected = !registry.known.has(nameOf(name))
    ? 'not-found'
    : registry.retired.has(nameOf(name))
      ? 'already-retired'
      : retireAnswer(name, ledger, registry).verdict === 'safe'
        ? 'retired'
        : 'blocked';
  hold(result === expected, 'gate', () => `the retirement of ${nameOf(name)} was ${result}, and should be ${expected}`);
  if (result !== 'retired') return;
  registry.retired.add(nameOf(name));
  world.registryChanges();
}

/** Goes back to one build for real, if the gate lets it: whatever was not delivered has to be, by that build alone. */
export async function rollBack(world: World, { to }: StepOf<'roll-back'>): Promise<void> {
  const build = world.build(to);
  const declaration = await declare(world, to, 3 * LONG_MS);
  if ((await gateRollback(world, to)) !== 'safe') return;
  world.safeRollbacks.push({ build: to, reads: build.manifest.readers, declaration });
  for (const dispatcher of world.dispatchers) {
    if (dispatcher.state === 'running') await dispatcher.stop();
    dispatcher.state = 'gone';
  }
  for (const transaction of [...world.transactions]) await transaction.end('commit');
  await SimulatedDispatcher.start(world, build);
  await pass(world, LONG_MS);
  await drain(world);
  // A record that the build reads by its version and not by its content is what the shadow read is for.
  const left = world.ledger.live().find((message) => {
    const isHeld = world.ledger.line(message).some(({ state }) => state === 'dead');
    const { payload, type, version } = message;
    return !isHeld && payload !== null && build.readers.read({ type, version, payload }).status === 'ok';
  });
  hold(
    left === undefined,
    'gate',
    () => `going back to ${to} was called safe, and it could not deliver ${left === undefined ? '' : describe(left)}`,
  );
  world.count('rolled back');
}

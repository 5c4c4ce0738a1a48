import { nameOf, reads } from '../build.ts';
import { hold } from '../fault.ts';
import { describe } from '../model/ledger.ts';
import { answered, type ExpectedAnswer, retireAnswer, rollbackAnswer, writersAnswer } from '../model/verdicts.ts';
import { SimulatedDispatcher } from '../simulated-dispatcher.ts';
import type { StepOf } from '../step.ts';
import type { GateAnswer, VersionName } from '../target.ts';
import type { World } from '../world.ts';
import { behind, declare } from './operator-steps.ts';
import { drain, pass } from './process-steps.ts';

/** Longer than every silence that the registry puts up with, and than every delay. */
const LONG_MS = 4_000_000;

/** A gate that looks for open transactions may not say "safe" while one has written what it asks about, and may hold back for one that only tried. */
interface OpenWrites {
  readonly have: boolean;
  readonly may: boolean;
}

function openWrites({ transactions }: World, about: (name: VersionName) => boolean): OpenWrites {
  return {
    have: transactions.some(({ written }) => written.some(about)),
    may: transactions.some(({ types }) => types.size > 0),
  };
}

function judge(
  world: World,
  gate: string,
  {
    given,
    expected,
    open,
  }: { readonly given: GateAnswer; readonly expected: ExpectedAnswer; readonly open: OpenWrites },
): GateAnswer['verdict'] {
  world.count(`${gate} ${given.verdict}`);
  const said = answered(given);
  const told = ({ verdict, records }: ExpectedAnswer): string =>
    `${verdict}, with ${records.length === 0 ? 'nothing' : records.join(', ')} in the way`;
  const verdicts =
    expected.verdict === 'safe'
      ? [...(open.have ? [] : ['safe']), ...(open.may ? ['unknown'] : [])]
      : [expected.verdict];
  const agrees = verdicts.includes(said.verdict) && said.records.join() === expected.records.join();
  hold(
    agrees,
    'gate',
    () =>
      `gate ${gate} said ${told(said)}; it is ${told(expected)}${open.have ? ', and an open transaction has written more' : ''}`,
  );
  return given.verdict;
}

const NOTHING_OPEN: OpenWrites = { have: false, may: false };

export async function gateWriters(world: World, name: string): Promise<void> {
  const { manifest } = world.build(name);
  const given = await world.target.operator.gateWriters(manifest);
  judge(world, 'writers', { given, expected: writersAnswer(manifest, world.registry), open: NOTHING_OPEN });
}

export async function gateRollback(world: World, name: string): Promise<GateAnswer['verdict']> {
  const { manifest } = world.build(name);
  const open = openWrites(world, (name) => !reads(manifest.readers, name));
  const given = await world.target.operator.gateRollback(manifest);
  const verdict = judge(world, 'rollback', { given, expected: rollbackAnswer(manifest, world), open });
  const declaration = world.registry.openDeclarations().find(({ build }) => build === name);
  if (verdict === 'safe' && declaration !== undefined)
    world.safeRollbacks.push({ build: name, reads: manifest.readers, declaration: declaration.id });
  return verdict;
}

export async function gateRetire(
  world: World,
  { type, version }: StepOf<'gate-retire' | 'retire'>,
): Promise<number | null> {
  const name = { type, version };
  const answer = await world.target.operator.gateRetire(name);
  const open = openWrites(world, (written) => nameOf(written) === nameOf(name));
  judge(world, 'retire', { given: answer, expected: retireAnswer(name, world), open });
  return answer.revision;
}

/** Asks the gate and retires, whatever it said: the retirement has to check for itself. */
export async function retire(world: World, step: StepOf<'retire'>): Promise<void> {
  const { registry, transactions } = world;
  const name = { type: step.type, version: step.version };
  const revision = await gateRetire(world, step);
  const writers = transactions.filter(({ types }) => types.has(step.type));
  const result = await behind(writers, () => world.target.operator.retire(name, revision ?? 1));
  world.count(`retirement ${result}`);
  const expected = !registry.known.has(nameOf(name))
    ? 'not-found'
    : registry.retired.has(nameOf(name))
      ? 'already-retired'
      : retireAnswer(name, world).verdict === 'safe'
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
  await declare(world, to, 3 * LONG_MS);
  if ((await gateRollback(world, to)) !== 'safe') return;
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
    const { payload, type, version } = message;
    const isFirst = world.ledger.line(message)[0] === message;
    return isFirst && payload !== null && build.readers.read({ type, version, payload }).status === 'ok';
  });
  hold(
    left === undefined,
    'gate',
    () => `going back to ${to} was called safe, and it could not deliver ${left === undefined ? '' : describe(left)}`,
  );
  world.count('rolled back');
}

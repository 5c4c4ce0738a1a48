import { hold } from './fault.ts';
import { describe } from './model/ledger.ts';
import { SimulatedDispatcher } from './simulated-dispatcher.ts';
import { replay } from './steps/operator-steps.ts';
import { drain, pass } from './steps/process-steps.ts';
import type { World } from './world.ts';

/** Longer than every lease, silence, delay and declaration. */
const LONG_MS = 20_000_000;

/** The end of every schedule: all that are still there stop or are killed, every build comes back, and every message that was committed arrives. */
export async function finish(world: World): Promise<void> {
  for (const transaction of [...world.transactions]) await transaction.end('commit');
  for (const dispatcher of world.dispatchers) {
    if (dispatcher.state === 'running') await dispatcher.stop();
    dispatcher.state = 'gone';
  }
  await pass(world, LONG_MS);
  for (const build of world.builds.values()) await SimulatedDispatcher.start(world, build);
  // What was in hand of somebody who died may hold its key, and so may what is dead.
  for (let round = 0; round < 3 && world.ledger.carried().length > 0; round += 1) {
    await drain(world);
    for (const message of world.ledger.dead()) await replay(world, message);
    await pass(world, LONG_MS);
  }
  if (world.ledger.carried().length > 0) await drain(world);
  const left = world.ledger.carried()[0];
  hold(
    left === undefined,
    'lost',
    () => `${left === undefined ? '' : describe(left)} never arrived, though every build ran`,
  );
}

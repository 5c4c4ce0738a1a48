import type { RolloutStep, StepOf } from './step.ts';
import { gateRetire, gateRollback, gateWriters, retire, rollBack } from './steps/gate-steps.ts';
import { actOnDeadLetter, allow, declare, pin, unpin, withdraw } from './steps/operator-steps.ts';
import {
  begin,
  changeDispatcher,
  deploy,
  drain,
  endTransaction,
  enqueue,
  pass,
  startService,
  stopService,
  work,
  write,
} from './steps/process-steps.ts';
import type { World } from './world.ts';

type Perform = { readonly [D in RolloutStep['do']]: (world: World, step: StepOf<D>) => unknown };

const PERFORM: Perform = {
  deploy,
  stop: changeDispatcher,
  crash: changeDispatcher,
  pause: changeDispatcher,
  resume: changeDispatcher,
  work,
  take: work,
  settle: work,
  drain: (world) => drain(world),
  'start-service': startService,
  'stop-service': stopService,
  enqueue,
  begin,
  write,
  commit: endTransaction,
  abort: endTransaction,
  pass: (world, { ms }) => pass(world, ms),
  replay: actOnDeadLetter,
  discard: actOnDeadLetter,
  declare: (world, { build }) => declare(world, build),
  withdraw,
  pin,
  unpin,
  allow,
  'gate-writers': (world, { build }) => gateWriters(world, build),
  'gate-rollback': (world, { build }) => gateRollback(world, build),
  'gate-retire': gateRetire,
  retire,
  'roll-back': rollBack,
};

/** Does one step to the store, and to the model what it should have done. Throws InvariantBroken where they part. */
export async function perform(world: World, step: RolloutStep): Promise<void> {
  // The table above has for each kind of step a function of that kind, which TypeScript cannot see through an index.
  await (PERFORM[step.do] as (world: World, step: RolloutStep) => unknown)(world, step);
}

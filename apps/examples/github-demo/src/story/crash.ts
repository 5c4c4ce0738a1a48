import type { Dispatcher } from '../fleet/dispatcher.ts';
import type { Stage } from './stage.ts';
import { until } from './until.ts';

/** What a crash left behind. */
export interface Crash {
  readonly dispatcher: Dispatcher;
  /** Records that the dead process still holds under a lease, counted after its death. */
  readonly held: number;
}

/**
 * Kills a dispatcher while it holds leases. Only a count after its death proves that: before, it might still have settled what it
 * held. In the rare case that the kill came too late, a successor starts and has to die in its turn.
 */
export async function crashWhileLeasing(stage: Stage, victim: Dispatcher): Promise<Crash> {
  const { observer, signal } = stage;
  for (let dispatcher = victim; ; dispatcher = await stage.fleet.launch(dispatcher.build)) {
    const id = await idOf(dispatcher);
    await until(`${dispatcher.name} holds leases`, async () => (await observer.leasedBy(id)) > 0, signal);
    await dispatcher.crash();
    const held = await observer.leasedBy(id);
    if (held > 0) return { dispatcher, held };
  }
}

async function idOf(dispatcher: Dispatcher): Promise<string> {
  const id = await dispatcher.id();
  if (id === undefined) throw new TypeError(`${dispatcher.name} was launched, so it has an id`);
  return id;
}

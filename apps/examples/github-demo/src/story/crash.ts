import type { Dispatcher } from '../fleet/dispatcher.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { Observer } from '../observation/waybill-tables.ts';
import { until } from './until.ts';

/** What a crash left behind. */
export interface Crash {
  readonly dispatcher: Dispatcher;
  /** Records that the dead process still holds under a lease, counted after its death. */
  readonly held: number;
}

/** Where a crash takes place: what it needs of the stage. */
export interface Scene {
  readonly observer: Pick<Observer, 'leasedBy'>;
  readonly fleet: Pick<Fleet, 'launch'>;
  readonly signal: AbortSignal;
}

/**
 * Kills a dispatcher while it holds leases. Only a count after its death proves that: a settlement may have been on its way to the
 * database. In that rare case a successor starts and has to die in its turn.
 */
export async function crashWhileLeasing({ observer, fleet, signal }: Scene, victim: Dispatcher): Promise<Crash> {
  for (let dispatcher = victim; ; dispatcher = await fleet.launch(dispatcher.build)) {
    const id = await idOf(dispatcher);
    const leased = (): Promise<number> => observer.leasedBy(id);
    await until(`${dispatcher.name} holds leases`, () => frozenWith(dispatcher, leased), signal);
    await dispatcher.crash();
    const held = await leased();
    if (held > 0) return { dispatcher, held };
  }
}

/**
 * Whether a dispatcher is frozen with leases in its hands; one that holds none goes on. A running one settles within milliseconds, so
 * it would be rid of what we saw before the kill reaches it, and there may be no more traffic for its successor.
 */
async function frozenWith(dispatcher: Dispatcher, leased: () => Promise<number>): Promise<boolean> {
  dispatcher.freeze();
  // What it had sent before it froze may still settle: by the second look that has come to pass.
  if ((await leased()) > 0 && (await leased()) > 0) return true;
  dispatcher.thaw();
  return false;
}

async function idOf(dispatcher: Dispatcher): Promise<string> {
  const id = await dispatcher.id();
  if (id === undefined) throw new TypeError(`${dispatcher.name} was launched, so it has an id`);
  return id;
}

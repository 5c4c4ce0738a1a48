import type { Room } from '../room.ts';

/** What happened, to be judged at the end. A fault count is 0 in a correct store, whatever the load. */
export interface Tally {
  committed: number;
  rolledBack: number;
  claims: number;
  delivered: number;
  leasesLost: number;
  retries: number;
  deadLetters: number;
  replays: number;
  discards: number;
  held: number;
  purged: number;
  killed: number;
  swept: number;
  serializationFailures: number;
  deadlocks: number;
  doubleReplays: number;
  overlaps: number;
  twoOwners: number;
  stranded: number;
  leasedBehindElder: number;
  readyBehindElder: number;
  handledOutOfOrder: number;
}

/** One run of the stress: who takes part stops when it says so. */
export interface Scene {
  readonly room: Room;
  readonly keys: number;
  /** Crashes, killed connections, short leases and full scans; without them the floors alone must find everything, and a lease never ends. */
  readonly crashes: boolean;
  /** Backends that may be killed at any time. */
  readonly victims: Set<number>;
  readonly tally: Tally;
  writing: boolean;
  running: boolean;
}

export function openScene(options: Pick<Scene, 'room' | 'keys' | 'crashes'>): Scene {
  const tally: Tally = {
    committed: 0,
    rolledBack: 0,
    claims: 0,
    delivered: 0,
    leasesLost: 0,
    retries: 0,
    deadLetters: 0,
    replays: 0,
    discards: 0,
    held: 0,
    purged: 0,
    killed: 0,
    swept: 0,
    serializationFailures: 0,
    deadlocks: 0,
    doubleReplays: 0,
    overlaps: 0,
    twoOwners: 0,
    stranded: 0,
    leasedBehindElder: 0,
    readyBehindElder: 0,
    handledOutOfOrder: 0,
  };
  return { ...options, tally, victims: new Set(), writing: true, running: true };
}

/** Counts what may happen between transactions; anything else is a bug and ends the run. */
export function countConflict(tally: Tally, error: unknown): void {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  if (code === '40P01') tally.deadlocks += 1;
  else if (code === '40001') tally.serializationFailures += 1;
  else throw error;
}

/** Whether this is what the victim of a killed connection sees: at once, as its answer, or at its next statement. */
export function wasKilled(error: unknown): boolean {
  return (
    error instanceof Error &&
    /terminating connection|Connection terminated|not queryable|ECONNRESET|EPIPE/.test(error.message)
  );
}

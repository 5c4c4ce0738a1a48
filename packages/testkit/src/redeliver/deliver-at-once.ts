import { setTimeout as delay } from 'node:timers/promises';
import type { RedeliverDatabase } from './database.ts';

// How long a delivery that is done waits for the other one, which may itself wait for a lock of the first.
const OTHER_DELIVERY_MS = 250;

/**
 * Runs two deliveries in two transactions so that, unless a lock keeps them apart, both have done their work before either
 * commits: a look before an insert then finds nothing in both. A delivery that fails is repeated once, as a dispatcher would.
 */
export async function deliverAtOnce<Tx>(
  database: RedeliverDatabase<Tx>,
  handle: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  const done = [signal(), signal()] as const;
  const deliveries = (
    [
      [0, 1],
      [1, 0],
    ] as const
  ).map(([own, other]) =>
    database.transaction(async (tx) => {
      try {
        await handle(tx);
      } finally {
        done[own].fire();
      }
      await Promise.race([done[other].fired, delay(OTHER_DELIVERY_MS)]);
    }),
  );
  for (const { status } of await Promise.allSettled(deliveries)) {
    if (status === 'rejected') await database.transaction(handle);
  }
}

interface Signal {
  readonly fire: () => void;
  readonly fired: Promise<void>;
}

function signal(): Signal {
  let fire = (): void => undefined;
  const fired = new Promise<void>((resolve) => {
    fire = resolve;
  });
  return { fire, fired };
}

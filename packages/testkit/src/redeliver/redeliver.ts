import type { IdempotencyClass } from '@waybill/contracts';
import { type Surroundings, withSurroundings } from './changed-surroundings.ts';
import type { RedeliverDatabase } from './database.ts';
import { deliverAtOnce } from './deliver-at-once.ts';
import { compareStates, type Difference } from './differences.ts';
import { disturb } from './disturb.ts';
import { readState, restoreState, type State, type Watched } from './state.ts';

/** Applies a message in the transaction it is given. */
export type RedeliveredHandler<Tx, M> = (message: M, tx: Tx) => Promise<unknown>;

/** What to watch, and what differs for the second delivery. */
export interface RedeliverOptions<Tx> extends Watched {
  readonly database: RedeliverDatabase<Tx>;
  /** What the handler claims to be. Only `deterministic-set` has to overwrite what others wrote since. Default `deterministic-set`. */
  readonly idempotency?: IdempotencyClass;
  /** How much later the second delivery happens, by the clock of the process. Default a day. */
  readonly clockShiftMs?: number;
  /** Start of the random numbers of the second delivery. Default 1. */
  readonly seed?: number;
}

/**
 * How the message was repeated.
 *
 * - `in-turn`: once more after the first delivery, with another clock and other random numbers.
 * - `at-once`: both deliveries ran before either was committed.
 * - `after-change`: what the first delivery wrote was overwritten by somebody else in between.
 */
export const REDELIVERY_SCENARIOS = ['in-turn', 'at-once', 'after-change'] as const;
export type RedeliveryScenario = (typeof REDELIVERY_SCENARIOS)[number];

/** A scenario in which a repeated delivery left something else than a single one. */
export interface RedeliveryFault {
  readonly scenario: RedeliveryScenario;
  readonly differences: readonly Difference[];
}

/**
 * Delivers one message twice, in every way in which an outbox may, and compares what it left with what one delivery leaves.
 * The watched tables and sequences are put back at the end.
 *
 * @returns the faults; empty when the handler may be repeated.
 */
export async function redeliver<Tx, M>(
  handler: RedeliveredHandler<Tx, M>,
  message: M,
  options: RedeliverOptions<Tx>,
): Promise<readonly RedeliveryFault[]> {
  const { database, idempotency = 'deterministic-set', clockShiftMs = 24 * 60 * 60 * 1000, seed = 1 } = options;
  const deliver = (): Promise<unknown> => database.transaction((tx) => handler(message, tx));
  const later: Surroundings = { clockShiftMs, seed };

  const start = await readState(database, options);
  const repeats: Record<RedeliveryScenario, (once: State) => Promise<unknown>> = {
    'in-turn': () => withSurroundings(later, deliver),
    'at-once': async () => {
      await restoreState(database, start);
      await deliverAtOnce(database, (tx) => handler(message, tx));
    },
    'after-change': async (once) => {
      await disturb(database, start, once);
      await withSurroundings(later, deliver);
    },
  };

  const faults: RedeliveryFault[] = [];
  try {
    for (const scenario of REDELIVERY_SCENARIOS) {
      if (scenario === 'after-change' && idempotency !== 'deterministic-set') continue;
      await restoreState(database, start);
      await withSurroundings({ clockShiftMs: 0, seed: seed - 1 }, deliver);
      const once = await readState(database, options);
      await repeats[scenario](once);
      const differences = compareStates(once, await readState(database, options));
      if (differences.length > 0) faults.push({ scenario, differences });
    }
  } finally {
    await restoreState(database, start);
  }
  return faults;
}

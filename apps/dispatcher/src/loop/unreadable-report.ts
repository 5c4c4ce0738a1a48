import type { Unreadable } from '@waybill/contracts';
import { type Executor, giveUpContract, noteUnreadable, type Store, type TypedRecord } from '@waybill/store';
import type { UnreadablePairs } from '../attempt/unreadable-pairs.ts';
import { cleanErrorText } from '../retry/error-text.ts';
import { logGivenUp } from './attempt-log.ts';
import type { HeldRun } from './held-run.ts';
import type { LoopLogger } from './loop-logger.ts';
import type { StoreHealth } from './store-health.ts';

export interface UnreadableDeps {
  readonly store: Store;
  /** The heartbeat's connection. */
  readonly executor: Executor;
  readonly build: string;
  readonly pairs: UnreadablePairs;
  readonly health: StoreHealth;
  readonly logger: LoopLogger;
  /** Tells the store something that matters only a little. */
  readonly tell: (operation: string, telling: Promise<void>) => void;
}

/** Notes in the store that this build could not read a record, and gives up its pair where that is no accident. Gives whether no live build can read it. */
export async function reportUnreadable(
  record: TypedRecord,
  { owner }: HeldRun,
  why: Unreadable,
  { store, executor, build, pairs, health, logger, tell }: UnreadableDeps,
): Promise<boolean> {
  const { seq, contractId } = record;
  if (pairs.note(record)) {
    logGivenUp(logger, record, why);
    tell('give-up', giveUpContract(store, { id: owner, contractId }, executor));
  }
  try {
    const text = cleanErrorText(`${why.status}: ${why.reason}`);
    const byNobody = await noteUnreadable(store, { seq, contractId, build, why: text });
    // A build that reads nothing of a pair says nothing about its records.
    return byNobody && !pairs.hasGivenUp(contractId);
  } catch (error) {
    health.failed('unreadable', error);
    return false;
  }
}

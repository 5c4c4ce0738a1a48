import type { SettleResult, TypedRecord } from '@waybill/store';
import type { AttemptEnd } from '../attempt/end.ts';

/** What the loop asks the store again and again. */
export type StoreOperation = 'claim' | 'settle' | 'renew' | 'sweep';

/** What the loop tells whoever watches it. It is called in the middle of the work, so it is cheap and never throws. */
export interface LoopObserver {
  /** A claim was answered. */
  claimed(records: number): void;
  attempted(record: TypedRecord, end: AttemptEnd, durationMs: number): void;
  /** Settlements were written, or refused since the lease was lost. */
  settled(results: readonly SettleResult[]): void;
  storeAnswered(operation: StoreOperation, durationMs: number): void;
  /** The store could not do what it was asked. */
  storeFailed(operation: string, cause: unknown): void;
}

/** Runs an attempt and watches it, whatever it gives or throws. */
export type TraceAttempt = (record: TypedRecord, attempt: () => Promise<AttemptEnd>) => Promise<AttemptEnd>;

const nothing = (): void => {};

export const NO_OBSERVER: LoopObserver = {
  claimed: nothing,
  attempted: nothing,
  settled: nothing,
  storeAnswered: nothing,
  storeFailed: nothing,
};

export const untraced: TraceAttempt = (_record, attempt) => attempt();

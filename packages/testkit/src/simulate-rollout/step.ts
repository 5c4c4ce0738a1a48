import type { WhenUnreadable } from '@waybill/contracts';
import type { Isolation } from './target.ts';

/** What a target answers to one record. */
export type TargetAnswer = 'accept' | 'retry' | 'refuse';

/**
 * One step of a schedule. Dispatchers, services, open transactions and dead letters are named by number: the nth of those that there are when the
 * step comes, counted round and round. A step that finds none does nothing, so any part of a schedule is a schedule.
 */
export type RolloutStep =
  /** Starts a dispatcher. */
  | { readonly do: 'deploy'; readonly build: string }
  /** Ends one: in order, or from one moment to the next. */
  | { readonly do: 'stop' | 'crash'; readonly dispatcher: number }
  /** Holds a process as it is, leases and all; it renews nothing and is not seen. */
  | { readonly do: 'pause' | 'resume'; readonly dispatcher: number }
  /** Claims, and hands records over to their target; `take` leaves the settlement for later. */
  | {
      readonly do: 'work' | 'take';
      readonly dispatcher: number;
      readonly limit: number;
      readonly answers: readonly TargetAnswer[];
    }
  | { readonly do: 'settle'; readonly dispatcher: number }
  /** Every running dispatcher works until it finds nothing more. */
  | { readonly do: 'drain' }
  | { readonly do: 'start-service'; readonly build: string }
  | { readonly do: 'stop-service'; readonly service: number }
  /** Enqueues in a transaction of its own, or in one that stays open. */
  | { readonly do: 'enqueue'; readonly service: number; readonly messages: readonly WrittenMessage[] }
  | { readonly do: 'begin'; readonly service: number; readonly isolation: Isolation }
  | ({ readonly do: 'write'; readonly transaction: number } & WrittenMessage)
  | { readonly do: 'commit' | 'abort'; readonly transaction: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'replay' | 'discard'; readonly deadLetter: number }
  | { readonly do: 'declare'; readonly build: string }
  | { readonly do: 'withdraw'; readonly declaration: number }
  | { readonly do: 'pin'; readonly type: string; readonly version: number; readonly percent: number }
  | { readonly do: 'unpin'; readonly type: string }
  | { readonly do: 'allow'; readonly type: string; readonly version: number }
  | { readonly do: 'gate-writers' | 'gate-rollback'; readonly build: string }
  | { readonly do: 'gate-retire' | 'retire'; readonly type: string; readonly version: number }
  /** Declares the build, asks the gate, and goes back to it alone if that is safe. */
  | { readonly do: 'roll-back'; readonly to: string };

export interface WrittenMessage {
  /** The nth type that the service writes. */
  readonly message: number;
  /** Empty: without order. */
  readonly key: string;
  readonly whenUnreadable: WhenUnreadable;
  readonly delayed: boolean;
}

/** The steps of some kinds; one that stands for several kinds counts for each. */
export type StepOf<D extends RolloutStep['do']> = Matching<RolloutStep, D>;
type Matching<S, D> = S extends { readonly do: infer K } ? ([Extract<K, D>] extends [never] ? never : S) : never;

import type { BrokerAddress } from '../broker/broker.ts';
import type { DirectMode } from '../broker/publish-direct.ts';
import type { ContenderName } from '../contender/contenders.ts';
import type { Load } from '../load/sample.ts';

/** What a process of its own does for one contender, or, to compare them in one go, for several. */
export type Task =
  | { readonly kind: 'set-up'; readonly contender: ContenderName; readonly url: string }
  | { readonly kind: 'fill'; readonly contender: ContenderName; readonly url: string; readonly load: Load }
  | {
      readonly kind: 'fill-stuck';
      readonly contender: ContenderName;
      readonly url: string;
      readonly load: Load;
      /** Messages of a further key, whose first one will not be due. */
      readonly count: number;
    }
  | {
      readonly kind: 'stream';
      readonly contender: ContenderName;
      readonly url: string;
      readonly load: Load;
      readonly perSecond: number;
    }
  | {
      readonly kind: 'enqueue';
      readonly entrants: readonly Entrant[];
      readonly connections: number;
      readonly rounds: number;
      readonly perRound: number;
      readonly bytes: number;
    }
  | { readonly kind: 'prepare-broker'; readonly address: BrokerAddress }
  | { readonly kind: 'count-broker'; readonly address: BrokerAddress }
  | {
      readonly kind: 'publish-direct';
      readonly address: BrokerAddress;
      readonly load: Load;
      readonly mode: DirectMode;
    }
  | { readonly kind: 'consume'; readonly contender: ContenderName; readonly url: string };

/** A contender with its database in a comparison of enqueueing. `nothing` and `bare` are the transaction alone and with a plain INSERT. */
export interface Entrant {
  readonly name: ContenderName | 'nothing' | 'bare';
  readonly url: string;
}

/** Mean milliseconds of a transaction by entrant, one number a round. */
export type EnqueueTimes = Readonly<Record<string, readonly number[]>>;

export interface TaskResults {
  readonly 'set-up': null;
  /** Messages a second. */
  readonly fill: number;
  readonly 'fill-stuck': null;
  /** When each message's transaction was about to commit, by its n, in milliseconds since the epoch. */
  readonly stream: Float64Array;
  readonly enqueue: EnqueueTimes;
  readonly 'prepare-broker': null;
  /** Messages that the broker holds; null where it does not tell. */
  readonly 'count-broker': number | null;
  /** Messages a second. */
  readonly 'publish-direct': number;
  readonly consume: null;
}

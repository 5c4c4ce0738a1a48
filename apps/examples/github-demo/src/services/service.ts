import type { Arrival } from '../input/traffic.ts';

/** Which release of the contract package an instance of a service was built with. */
export type ContractRelease = 1 | 2;

/** What became of one webhook. */
export interface Handled {
  readonly outcome: 'committed' | 'rolled-back';
  readonly messages: readonly { readonly id: string; readonly version: number }[];
}

/** A service stores what a webhook says in its own tables, and enqueues the messages about it in the same transaction. */
export interface Service {
  readonly name: string;
  handle(arrival: Arrival, release: ContractRelease): Promise<Handled>;
  close(): Promise<void>;
}

import type { ClientBase } from 'pg';
import type { Sample } from '../load/sample.ts';

/** One way to get messages from a transaction to a handler. Each file beside this one implements it for one of them. */
export interface Contender {
  /** Creates what it needs in an empty database. */
  setUp(url: string): Promise<void>;
  openProducer(url: string): Promise<Producer>;
  /** Hands every message to the handler until it is stopped. Absent where a program of its own does that. */
  consume?(url: string, handle: Handle): Promise<Consumption>;
}

export type Handle = (sample: Sample) => Promise<void>;

export interface Consumption {
  stop(): Promise<void>;
}

/** Writes messages into transactions of the caller. */
export interface Producer {
  /** One message, as a service does it. */
  enqueue(client: ClientBase, sample: Sample): Promise<unknown>;
  /** Many at once, by the fastest documented way, to fill a queue. */
  fill(client: ClientBase, samples: readonly Sample[]): Promise<unknown>;
  /** The same, and none of them will be due. */
  fillLater?(client: ClientBase, samples: readonly Sample[]): Promise<unknown>;
  close(): Promise<void>;
}

/** How many messages each contender hands to handlers at the same time. */
export const CONCURRENCY = 16;

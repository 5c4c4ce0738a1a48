import type { MonotonicClock } from '../publish-window.ts';

/** What a statement is given. */
export type InboxValue = string | number | null | readonly (string | number | null)[];

/** A database as the transport uses it; what `connectPg` of `@waybill/store/pg` opens fits. */
export interface InboxDatabase {
  /** Runs one statement in a transaction of its own. */
  query(text: string, values?: readonly InboxValue[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}

/** Into which table messages go. */
export interface PostgresInboxOptions {
  /** The destination's name in logs and metrics. Default `postgres-inbox`. */
  readonly name?: string;
  /** Opens the receiver's database; called anew after a connection was given up. One connection is enough. */
  readonly connect: () => InboxDatabase;
  /** The schema of the table `inbox_message`. Default `public`. */
  readonly schema?: string;
  /** The most messages in one transaction. Default 500. */
  readonly maxBatch?: number;
  /** The largest body, and the most bytes in one transaction. Default 8 MiB. */
  readonly maxBytes?: number;
  /** Clock of the deadline. Default `performance.now`. */
  readonly now?: MonotonicClock;
}

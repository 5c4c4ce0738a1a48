/** One row as a driver gives it, by column name. */
export type Row = Readonly<Record<string, unknown>>;

/** What a statement may be given: every driver carries these alike, and arrays as PostgreSQL arrays. */
export type Value = string | number | boolean | null | readonly (string | number | boolean | null)[];

/** Anything that runs one statement: a pool, a connection, a transaction. */
export interface Executor {
  query(text: string, values?: readonly Value[]): Promise<readonly Row[]>;
}

/** One connection for as long as the callback runs. `native` is the driver's own object, for the caller's own statements. */
export interface Connection<Native = unknown> extends Executor {
  readonly native: Native;
  /** Sends COMMIT and gives what the server did: it answers the COMMIT of a failed transaction with a rollback and no error. */
  commit(): Promise<'committed' | 'rolled-back'>;
}

/** A source of connections. `query` runs one statement on any of them, in a transaction of its own. */
export interface Database<Native = unknown> extends Executor {
  /**
   * Lends one connection. When `fn` fails with an error of the connection, or leaves a transaction open, the connection is destroyed
   * rather than handed to the next caller.
   */
  connection<T>(fn: (connection: Connection<Native>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

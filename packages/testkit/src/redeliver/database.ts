/** Runs single statements. */
export interface StatementRunner {
  /** Runs one statement on its own and resolves to its rows. */
  query(text: string, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** The part of a database that `redeliver` needs, with the transaction type `Tx` that the handler takes. */
export interface RedeliverDatabase<Tx> extends StatementRunner {
  /** Runs `work` in a transaction on a connection of its own; commits when it resolves, rolls back when it rejects. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

import type { AnyMessage } from '@waybill/contracts';

/** How a message may be enqueued, as far as the suite uses it. */
export interface SuiteEnqueueOptions {
  readonly id?: string;
  readonly tenant?: string;
  readonly recordKey?: string;
  readonly dueAt?: Date;
  readonly occurredAt?: Date;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SuiteEnqueued {
  readonly id: string;
  readonly created: boolean;
}

/** The enqueue functions of one driver; those of `@waybill/store` fit. */
export interface DriverOutbox<Tx> {
  enqueue(tx: Tx, message: AnyMessage, payload: unknown, options?: SuiteEnqueueOptions): Promise<SuiteEnqueued>;
  enqueueMany(
    tx: Tx,
    entries: readonly {
      readonly message: AnyMessage;
      readonly payload: unknown;
      readonly options?: SuiteEnqueueOptions;
    }[],
  ): Promise<readonly SuiteEnqueued[]>;
}

/** One driver, connected to the target. `Tx` is what it takes for a transaction. */
export interface DriverUnderTest<Tx> {
  /** Enqueue functions for a schema; the standard one where none is given. */
  outbox(schema?: string): DriverOutbox<Tx>;
  /** Commits when `work` resolves, rolls back and rejects when it rejects. Without an isolation level it begins as users do. */
  transaction(work: (tx: Tx) => Promise<unknown>, isolation?: 'repeatable read' | 'serializable'): Promise<unknown>;
  /** Runs one of the caller's own statements on the transaction, by the means of the driver. */
  execute(tx: Tx, statement: string): Promise<unknown>;
  /** Runs `work` in a savepoint of the driver's own making and undoes it when it rejects. Undefined where the driver has none. */
  readonly savepoint?: (tx: Tx, work: (inner: Tx) => Promise<unknown>) => Promise<unknown>;
  /** What is no transaction, by name: a pool or root client, an idle connection, whatever callers of this driver may mistake for one. */
  readonly refused: Readonly<Record<string, (use: (thing: unknown) => Promise<void>) => Promise<void>>>;
}

/** A message as it stands in the store. */
export interface StoredMessage {
  readonly id: string;
  readonly recordKey: string;
  readonly tenant: string | null;
  readonly occurredAt: Date;
  /** Not before this time; null: at once. */
  readonly dueAt: Date | null;
  /** JSON, byte for byte. */
  readonly headers: string | null;
  /** JSON, byte for byte. */
  readonly payload: string;
}

/** A database that is the test's own, with the store in it twice, and what the suite needs to look at it. */
export interface DriverTarget<Tx> {
  readonly driver: DriverUnderTest<Tx>;
  /** Runs a statement by a client that has nothing to do with the driver. */
  query(statement: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** What is committed, in the order in which it will be delivered. */
  stored(schema?: string): Promise<readonly StoredMessage[]>;
  /** Deletes all messages. */
  forget(): Promise<void>;
  /** The second schema of the store. Give it a name that needs quotes and holds what a query builder may take for a placeholder. */
  readonly otherSchema: string;
  /** A message without a key, whose payload is `{ value: unknown }`. */
  readonly note: AnyMessage;
  /** A message whose payload is `{ id: string, step: integer }` and whose key is made of the id. */
  readonly step: AnyMessage;
  stop(): Promise<void>;
}

import type { Executor, Row, Value } from '../executor.ts';
import { notInTransaction, type TransactionGate, withinProven } from '../transaction-gate.ts';

/** What `enqueue` takes: what `db.transaction().execute(...)` hands to its callback, or `db.startTransaction().execute()` gives. */
export interface KyselyTransaction {
  readonly isTransaction: true;
  executeQuery(query: RawQuery): Promise<{ readonly rows: readonly unknown[] }>;
}

/** A query as `CompiledQuery.raw` of Kysely makes it. */
interface RawQuery {
  readonly sql: string;
  readonly parameters: readonly Value[];
  readonly query: {
    readonly kind: 'RawNode';
    readonly sqlFragments: readonly string[];
    readonly parameters: readonly never[];
  };
  readonly queryId: { readonly queryId: string };
}

/** Lets every statement prove itself: Kysely does not show the client, nor what the server says of its transaction. */
export const kyselyGate: TransactionGate<unknown> = {
  async within(trx, fn) {
    if (isTransaction(trx)) return withinProven(trx, executorOf(trx), fn);
    throw notInTransaction(
      'expected the transaction of db.transaction(), got something without a transaction of its own',
    );
  },
};

function isTransaction(thing: unknown): thing is KyselyTransaction {
  return (
    typeof thing === 'object' &&
    thing !== null &&
    Reflect.get(thing, 'isTransaction') === true &&
    typeof Reflect.get(thing, 'executeQuery') === 'function'
  );
}

function executorOf(trx: KyselyTransaction): Executor {
  return {
    async query(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
      const query = { kind: 'RawNode', sqlFragments: [text], parameters: [] } as const;
      try {
        const { rows } = await trx.executeQuery({
          sql: text,
          parameters: values,
          query,
          queryId: { queryId: 'waybill' },
        });
        // What a SELECT of ours gives: an object for each row.
        return rows as readonly Row[];
      } catch (cause) {
        throw isEnd(cause) ? notInTransaction('the transaction has ended', cause) : cause;
      }
    },
  };
}

// Kysely gives these errors no code.
const ENDED = /^Transaction is already (committed|rolled back)$/;

function isEnd(error: unknown): boolean {
  return error instanceof Error && ENDED.test(error.message);
}

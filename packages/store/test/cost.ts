import type { Connection, Database, Executor, Value } from '../src/executor.ts';
import { openStore, type Store } from '../src/store.ts';
import type { Session } from './session.ts';

export interface Cost {
  /** Pages of our tables that were touched. */
  readonly buffers: number;
  /** Tables that were walked without an index, but for the two that hold a few dozen rows. */
  readonly walked: readonly string[];
  /** Rows that were read and thrown away again: an index that does not fit the question gives itself away by them. */
  readonly filtered: number;
}

/** The loops of a node come before what its filter removed. */
const FILTERED = /"Actual Loops":(\d+)[^{}]*?"Rows Removed by Filter":(\d+)/g;

/** What the statements of `read` cost: each is explained, undone, and then run. */
export async function measure(session: Session, read: (store: Store) => Promise<unknown>): Promise<Cost> {
  let buffers = 0;
  let filtered = 0;
  const walked: string[] = [];
  const explaining = (executor: Executor): Executor => ({
    async query(text: string, values?: readonly Value[]) {
      if (/waybill"?\./.test(text)) {
        await executor.query('savepoint plan');
        const [row] = await executor.query(`explain (analyze, buffers, format json) ${text}`, values);
        await executor.query('rollback to plan');
        const plan = JSON.stringify(row?.['QUERY PLAN']);
        // The first node carries the sum of all.
        buffers +=
          Number(/"Shared Hit Blocks":(\d+)/.exec(plan)?.[1]) + Number(/"Shared Read Blocks":(\d+)/.exec(plan)?.[1]);
        // Given for one loop of the node.
        for (const [, loops, removed] of plan.matchAll(FILTERED)) filtered += Number(removed ?? 0) * Number(loops ?? 0);
        walked.push(
          ...[...plan.matchAll(/"Seq Scan"[^{}]*?"Relation Name":"(\w+)"/g)].map(([, table]) => String(table)),
        );
      }
      return executor.query(text, values);
    },
  });
  const database: Database = {
    ...explaining(session),
    connection: async (fn) => fn({ ...session, ...explaining(session) } satisfies Connection),
    close: () => Promise.resolve(),
  };
  await read(openStore(database));
  return { buffers, filtered, walked: walked.filter((table) => table !== 'contract' && table !== 'dispatcher') };
}

/** Plain sessions, for tests that say BEGIN here and COMMIT there. */
import pg from 'pg';

import type { Connection, Database, Row, Value } from '../src/executor.ts';

/** One connection that serves as a database too, so that a claimer or a store can run inside a transaction that the test holds open. */
export interface Session extends Connection<pg.Client>, Database<pg.Client> {
  readonly pid: number;
  begin(isolation?: string): Promise<void>;
  rollback(): Promise<void>;
}

export async function openSession(url: string): Promise<Session> {
  const native = new pg.Client({ connectionString: url });
  // A session that a test ends on purpose reports that here as well.
  native.on('error', () => undefined);
  await native.connect();
  const query = async (text: string, values?: readonly Value[]): Promise<readonly Row[]> =>
    (await native.query<Row>(text, values === undefined ? undefined : [...values])).rows;
  const command = async (text: string): Promise<void> => {
    await query(text);
  };
  const [row] = await query('select pg_backend_pid() as pid');
  const connection: Connection<pg.Client> = {
    query,
    native,
    commit: async () => ((await native.query('commit')).command === 'COMMIT' ? 'committed' : 'rolled-back'),
  };
  return {
    ...connection,
    pid: Number(row?.['pid']),
    connection: (fn) => fn(connection),
    close: () => native.end(),
    begin: (isolation = 'read committed') => command(`begin isolation level ${isolation}`),
    rollback: () => command('rollback'),
  };
}

/** Resolves as soon as `waiting` is held up by somebody's lock; fails when its statement ended instead. */
export async function untilBlocked(observer: Session, waiting: Session, statement: Promise<unknown>): Promise<void> {
  const state = { ended: false };
  const end = (): void => {
    state.ended = true;
  };
  statement.then(end, end);
  for (;;) {
    const [row] = await observer.query('select cardinality(pg_blocking_pids($1::integer)) as blockers', [waiting.pid]);
    if (row?.['blockers'] !== 0) return;
    if (state.ended) throw new Error('the statement ended without waiting for anybody');
  }
}

import type { QueueRow } from './sql-queue.ts';
import { sqlContender } from './sql-queue.ts';

const BATCH = 500;

/** What most services write first: one table, a state column, and two updates a message. */
export const naive = sqlContender({
  create: `
    create table outbox (
      id bigint generated always as identity primary key,
      record_key text not null,
      state text not null default 'pending',
      attempts integer not null default 0,
      created_at timestamptz not null default now(),
      claimed_at timestamptz,
      processed_at timestamptz,
      payload json not null);
    create index outbox_pending on outbox (id) where state = 'pending'`,
  insert:
    'insert into outbox (record_key, payload) select k, p::json from unnest($1::text[], $2::text[]) with ordinality u (k, p, n) order by n',
  async takeBatch(pool, handle) {
    const { rows } = await pool.query<QueueRow>(
      `update outbox set state = 'processing', claimed_at = now(), attempts = attempts + 1
       where id in (select id from outbox where state = 'pending' order by id limit ${BATCH} for update skip locked)
       returning id, payload`,
    );
    if (rows.length === 0) return 0;
    await Promise.all(rows.map(({ payload }) => handle(payload)));
    await pool.query(`update outbox set state = 'done', processed_at = now() where id = any ($1::bigint[])`, [
      rows.map(({ id }) => id),
    ]);
    return rows.length;
  },
});

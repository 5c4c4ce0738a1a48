import { type QueueRow, sqlContender } from './sql-queue.ts';

const BATCH = 500;

/** The least that delivers at least once and keeps a history: nobody can do with fewer writes, and nobody would run it. */
export const limit = sqlContender({
  create: `
    create table message (position bigint generated always as identity primary key, record_key text not null, payload json not null);
    create table live (position bigint primary key);
    create table history (position bigint not null, dispatched_at timestamptz not null default clock_timestamp());
    create function put(keys text[], payloads text[]) returns void language sql as $$
      with written as (
        insert into message (record_key, payload)
        select k, p::json from unnest(keys, payloads) with ordinality u (k, p, n) order by n returning position)
      insert into live select position from written
    $$`,
  insert: 'select put($1::text[], $2::text[])',
  async takeBatch(pool, handle) {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const { rows } = await client.query<QueueRow>(
        `with taken as (
           delete from live where position in (select position from live order by position limit ${BATCH} for update skip locked) returning position),
         kept as (insert into history (position) select position from taken)
         select m.position as id, m.payload from taken t join message m on m.position = t.position order by m.position`,
      );
      await Promise.all(rows.map(({ payload }) => handle(payload)));
      await client.query('commit');
      return rows.length;
    } finally {
      client.release();
    }
  },
});

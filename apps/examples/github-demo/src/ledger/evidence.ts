import type pg from 'pg';
import type { Observer } from '../observation/waybill-tables.ts';
import type { Receiver } from '../receiver/receiver.ts';
import type { Committed, Evidence } from './reconcile.ts';

/** Gathers what the services committed and what the receiver and the board accepted. */
export async function gatherEvidence(pool: pg.Pool, receiver: Receiver, observer: Observer): Promise<Evidence> {
  const committed = await pool.query<Committed>(/* sql */ `
    select message_id as id, record_key as "recordKey"
    from (select * from tracker.sent union all select * from code_host.sent) sent
    order by record_key, revision, step`);
  const shown = await pool.query<{ id: string }>(
    'select message_id as id from board.accepted order by record_key, change',
  );
  return {
    committed: committed.rows,
    // Each record key goes to one of the two targets, so putting them one after the other keeps the order within every key.
    accepted: [...receiver.accepted, ...shown.rows.map(({ id }) => id)],
    deadLetters: await observer.deadLetters(),
  };
}

/** How many messages the board has accepted so far, for the live figures. */
export async function shownOnBoard(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ shown: number }>(
    'select count(distinct message_id)::integer as shown from board.accepted',
  );
  return rows[0]?.shown ?? 0;
}

import type { Row } from '../../src/executor.ts';
import type { Room } from '../room.ts';
import { STRANDED } from '../stranded.ts';
import type { Scene } from './scene.ts';

const countOf = (rows: readonly Row[]): number => Number(rows[0]?.['count']);

const BEHIND_ELDER = `exists (select 1 from waybill.delivery o where o.record_key = d.record_key and o.position < d.position)`;

/** Looks again and again for what must not be true at any instant. */
export async function watch(scene: Scene): Promise<void> {
  const { room, tally } = scene;
  const session = await room.session();
  while (scene.running) {
    tally.twoOwners += countOf(
      await session.query(
        `select count(*)::integer as count from (
           select record_key from waybill.delivery where lease_expires_at > clock_timestamp() and record_key <> ''
           group by 1 having count(*) > 1) two`,
      ),
    );
    tally.stranded += countOf(await session.query(STRANDED));
    tally.leasedBehindElder += countOf(
      await session.query(
        `select count(*)::integer as count from waybill.delivery d where lease_owner is not null and record_key <> '' and ${BEHIND_ELDER}`,
      ),
    );
    tally.readyBehindElder += countOf(
      await session.query(
        `select count(*)::integer as count from waybill.delivery d
         where checked and (ready_xid is not null or due_at is not null) and not settled and record_key <> '' and ${BEHIND_ELDER}`,
      ),
    );
  }
}

/** Remembers what was committed and what has ended, since a purge deletes both. */
export async function keepLog(room: Room): Promise<void> {
  await room.query(
    `create table public.written (seq bigint, record_key text);
     create table public.ended (seq bigint, at timestamptz, owner uuid);
     create function public.log_written() returns trigger language plpgsql as $$
       begin insert into public.written values (new.seq, new.record_key); return null; end $$;
     create function public.log_dispatched() returns trigger language plpgsql as $$
       begin insert into public.ended values (new.seq, new.dispatched_at, new.dispatched_by); return null; end $$;
     create function public.log_dead() returns trigger language plpgsql as $$
       begin insert into public.ended values (new.seq, new.failed_at, new.failed_by); return null; end $$;
     create trigger log after insert on waybill.message for each row execute function public.log_written();
     create trigger log after insert on waybill.dispatched for each row execute function public.log_dispatched();
     create trigger log after insert on waybill.dead_letter for each row execute function public.log_dead()`,
  );
}

/** What must be true when all is quiet. One settlement may write its history in any order, so only different owners are compared. */
export async function judge({
  room,
}: Scene): Promise<{ readonly written: number; readonly lost: number; readonly settledOutOfOrder: number }> {
  const [row] = await room.query(
    `with first as (
       select distinct on (e.seq) e.seq, w.record_key, e.at, e.owner from ended e join written w using (seq) order by e.seq, e.at)
     select
       (select count(*) from written)::integer as written,
       (select count(*) from written w where not exists (select 1 from ended e where e.seq = w.seq))::integer as lost,
       (select count(*) from first a join first b on a.record_key = b.record_key and a.seq < b.seq
        where a.record_key <> '' and a.at > b.at and a.owner <> b.owner)::integer as disorder`,
  );
  return {
    written: Number(row?.['written']),
    lost: Number(row?.['lost']),
    settledOutOfOrder: Number(row?.['disorder']),
  };
}

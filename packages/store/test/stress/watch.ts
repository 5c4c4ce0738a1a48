import type { Row } from '../../src/executor.ts';
import { STRANDED } from '../stranded.ts';
import type { Random } from './random.ts';
import type { Scene } from './scene.ts';

const countOf = (rows: readonly Row[]): number => Number(rows[0]?.['count']);

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
        `select count(*)::integer as count from waybill.delivery d where lease_owner is not null and record_key <> ''
           and exists (select 1 from waybill.delivery o where o.record_key = d.record_key and o.position < d.position)`,
      ),
    );
  }
}

/** Gives dead letters another life, one by one. */
export async function replaySome(scene: Scene, random: Random): Promise<void> {
  const session = await scene.room.session();
  while (scene.running) {
    await random.work(40);
    const rows = await session.query(
      `select r.place from (select id from waybill.dead_letter where replayed_at is null order by random() limit 1) d, waybill.replay(array[d.id], true) r`,
    );
    scene.tally.replays += rows.length;
  }
}

/** What must be true when all is quiet. One settlement may write its history in any order, so only different owners are compared. */
export async function judge({ room }: Scene): Promise<{ readonly lost: number; readonly settledOutOfOrder: number }> {
  const [row] = await room.query(
    `with ended as (
       select seq, dispatched_at as at, dispatched_by as owner from waybill.dispatched union all select seq, failed_at, failed_by from waybill.dead_letter),
     first as (
       select distinct on (e.seq) e.seq, m.record_key, e.at, e.owner from ended e join waybill.message m using (seq) order by e.seq, e.at)
     select
       (select count(*) from waybill.message m where not exists (select 1 from ended e where e.seq = m.seq))::integer as lost,
       (select count(*) from first a join first b on a.record_key = b.record_key and a.seq < b.seq
        where a.record_key <> '' and a.at > b.at and a.owner <> b.owner)::integer as disorder`,
  );
  return { lost: Number(row?.['lost']), settledOutOfOrder: Number(row?.['disorder']) };
}

import { registerContracts } from '../../src/contracts.ts';
import { discard } from '../../src/operators/discard.ts';
import { purge } from '../../src/operators/purge.ts';
import { replay } from '../../src/operators/replay.ts';
import { ANNA, BEN } from '../dead.ts';
import { NoteTaken } from '../messages.ts';
import type { Random } from './random.ts';
import { countConflict, type Scene } from './scene.ts';

const AGE_MS = 200;

/** Gives dead messages another life, two operators at a time, or up; and deletes what has ended. */
export async function operateAtRandom(scene: Scene, random: Random): Promise<void> {
  const { room, tally } = scene;
  const session = await room.session();
  const [anna, ben] = [room.store(session), room.store(await room.session())];
  while (scene.running) {
    await random.work(40);
    const [letter] = await session.query(
      `select m.id::text as id from waybill.dead_letter d join waybill.message m using (seq)
       where d.replayed_at is null and d.discarded_at is null order by random() limit 1`,
    );
    try {
      if (random.chance(0.05)) {
        const { dispatched, dead } = await purge(anna, {
          dispatchedOlderThanMs: AGE_MS,
          dead: { olderThanMs: AGE_MS, by: ANNA },
        });
        tally.purged += dispatched + dead;
      }
      if (letter === undefined) continue;
      const id = String(letter['id']);
      if (random.chance(0.3)) {
        if ((await discard(ben, id, BEN)).status === 'done') tally.discards += 1;
        continue;
      }
      const results = await Promise.all([replay(anna, id, ANNA), replay(ben, id, BEN)]);
      const replayed = results.flatMap((result) => (result.status === 'replayed' ? [result.deadLetter] : []));
      tally.replays += replayed.length;
      // One after the other may be right, each of another death.
      if (replayed.length === 2 && replayed[0] === replayed[1]) tally.doubleReplays += 1;
    } catch (error) {
      countConflict(tally, error);
    }
  }
}

/** Changes what happens behind a dead message; in the end nothing may be held any more. */
export async function changePolicies(scene: Scene, random: Random): Promise<void> {
  const { room, tally } = scene;
  const session = await room.session();
  const store = room.store(session);
  const { type, newest: version, kind } = NoteTaken;
  const set = (headPolicy: 'hold' | 'continue') =>
    registerContracts(store, [{ type, version, kind, headPolicy }], 'stress');
  while (scene.writing) {
    await set('hold');
    await random.work(400);
    const [row] = await session.query(
      `select count(*)::integer as held from waybill.delivery where settled and due_at = 'infinity'`,
    );
    tally.held += Number(row?.['held']);
    await set('continue');
    await random.work(100);
  }
}

/** Ends connections of workers, in whatever they are doing. */
export async function killSome(scene: Scene, random: Random): Promise<void> {
  const session = await scene.room.session();
  while (scene.writing && scene.crashes) {
    await random.work(600);
    const victims = [...scene.victims];
    const victim = victims[random.integer(victims.length)];
    if (victim !== undefined) await session.query('select pg_terminate_backend($1)', [victim]);
  }
}

import { enqueueMany } from '../../src/drivers/pg.ts';
import { type EnqueueEntry, entry } from '../../src/enqueue/prepare.ts';
import { NoteTaken, ParcelMoved } from '../messages.ts';
import type { Session } from '../session.ts';
import type { Random } from './random.ts';
import { countConflict, type Scene } from './scene.ts';

// Mostly the usual one.
const ISOLATIONS = ['read committed', 'read committed', 'read committed', 'repeatable read', 'serializable'] as const;

// On a busy machine the time may be up before anything has happened.
const AT_LEAST = 10;

/** Business transactions of all kinds, one after the other: long and short ones, with savepoints, delays and rollbacks. */
export async function write(scene: Scene, random: Random): Promise<void> {
  const session = await scene.room.session();
  for (let transactions = 0; scene.writing || transactions < AT_LEAST; transactions += 1) {
    await session.begin(random.pick(ISOLATIONS));
    try {
      await businessTransaction(session, scene, random);
      if (random.chance(0.08)) {
        await session.rollback();
        scene.tally.rolledBack += 1;
      } else {
        await session.commit();
        scene.tally.committed += 1;
      }
    } catch (error) {
      countConflict(scene.tally, error);
      await session.rollback();
    }
    await random.work(6);
  }
}

async function businessTransaction(session: Session, { keys }: Scene, random: Random): Promise<void> {
  if (random.chance(0.5)) {
    // From here on the snapshot of a stricter transaction is old.
    await session.query('select 1 from waybill.message limit 1');
    await random.work(15);
  }
  // Sorted, since two transactions that touch keys in opposite orders would deadlock, as they would on any lock of their own.
  const touched = Array.from({ length: 1 + random.integer(3) }, () => `k${String(random.integer(keys))}`).sort();
  if (random.chance(0.2)) {
    await session.query('savepoint undone');
    await enqueueMany(
      session.native,
      touched.map((id) => entry(ParcelMoved, { id, step: -1 })),
    );
    await session.query('rollback to undone');
  }
  for (let call = random.chance(0.2) ? 2 : 1; call > 0; call -= 1) {
    await enqueueMany(session.native, messages(touched, random));
  }
  if (random.chance(0.2)) {
    await session.query('savepoint kept');
    await enqueueMany(session.native, messages(touched, random));
    await session.query('release kept');
  }
  await random.work(random.chance(0.05) ? 160 : 4);
}

// All calls of a transaction take the same guards, so that the later ones need no order among them.
function messages(touched: readonly string[], random: Random): EnqueueEntry[] {
  const keyed = touched.map((id) => message(id, random));
  return random.chance(0.2) ? [...keyed, entry(NoteTaken, { value: 'no key' })] : keyed;
}

// Two contracts share the keys.
function message(id: string, random: Random): EnqueueEntry {
  const options = random.chance(0.03) ? { dueAt: new Date(Date.now() + 30) } : {};
  return random.chance(0.3)
    ? entry(NoteTaken, { value: id }, { ...options, recordKey: `Parcel/${id}` })
    : entry(ParcelMoved, { id, step: 1 }, options);
}

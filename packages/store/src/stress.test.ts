/** Everything at once, at random. The interleavings that are known are held still elsewhere; this looks for the next one. */
import { afterAll, beforeEach, expect, test } from 'vitest';

import { openRoom } from '../test/room.ts';
import { createHandled } from '../test/stress/handled.ts';
import { changePolicies, killSome, operateAtRandom } from '../test/stress/operators.ts';
import { createRandom, type Random } from '../test/stress/random.ts';
import { openScene, type Scene } from '../test/stress/scene.ts';
import { judge, keepLog, watch } from '../test/stress/watch.ts';
import { work } from '../test/stress/worker.ts';
import { write } from '../test/stress/writer.ts';

const SECONDS = Number(process.env['WAYBILL_STRESS_SECONDS'] ?? 3);
const SEED = Number(process.env['WAYBILL_STRESS_SEED'] ?? Date.now() % 1_000_000);
/** What is left when the writers stop is done well within this time; a record that nobody finds is not. */
const DRAIN_MS = 120_000;

const room = await openRoom();
await keepLog(room);
beforeEach(async () => {
  await room.clear();
  await room.query('truncate public.written, public.ended');
});
afterAll(() => room[Symbol.asyncDispose]());

async function untilDrained(scene: Scene, deadline: number): Promise<number> {
  for (;;) {
    const [row] = await room.query('select count(*)::integer as live from waybill.delivery');
    const live = Number(row?.['live']);
    if (live === 0 || performance.now() > deadline || !scene.running) return live;
  }
}

async function play(scene: Scene, random: () => Random): Promise<number> {
  const handled = createHandled();
  const writers = Promise.all(Array.from({ length: 6 }, () => write(scene, random())));
  const others = Promise.all([
    ...Array.from({ length: 5 }, () => work(scene, random(), handled)),
    operateAtRandom(scene, random()),
    changePolicies(scene, random()),
    killSome(scene, random()),
    watch(scene),
  ]);
  const timer = setTimeout(() => (scene.writing = false), (SECONDS * 1_000) / 2);
  try {
    await Promise.race([writers, others]);
    return await Promise.race([untilDrained(scene, performance.now() + DRAIN_MS), others.then(() => -1)]);
  } finally {
    clearTimeout(timer);
    scene.writing = false;
    scene.running = false;
    await Promise.allSettled([writers, others]);
  }
}

test.each([
  ['with crashes, short leases and full scans', true],
  ['by the floors alone', false],
])(
  `I01 I02 I03 I06 Q10 Q11 F001 F002 F003 F004: nothing lost, doubled or out of order, %s (seed ${String(SEED)})`,
  async (_how, crashes) => {
    const scene = openScene({ room, keys: 12, crashes });
    let actors = 0;
    const live = await play(scene, () => createRandom(SEED + (actors += 1)));
    const { tally } = scene;
    expect({ live, ...(await judge(scene)), ...tally }).toMatchObject({
      live: 0,
      lost: 0,
      settledOutOfOrder: 0,
      handledOutOfOrder: 0,
      twoOwners: 0,
      leasedBehindElder: 0,
      stranded: 0,
      readyBehindElder: 0,
      overlaps: 0,
      doubleReplays: 0,
      deadlocks: 0,
    });
    expect(Math.min(tally.committed, tally.delivered), 'it did something').toBeGreaterThan(0);
  },
  SECONDS * 1_000 + DRAIN_MS + 60_000,
);

import type { Run } from '../../src/claimed.ts';
import type { TypedRecord } from '../../src/claimer.ts';
import { renew } from '../../src/statements/renew.ts';
import type { Next } from '../../src/statements/settle.ts';
import { sweep } from '../../src/statements/sweep.ts';
import { PARCEL } from '../room.ts';
import { openSession, type Session } from '../session.ts';
import { createWorker, type Worker, type WorkerOptions } from '../worker.ts';
import type { Handled } from './handled.ts';
import type { Random } from './random.ts';
import { countConflict, type Scene, wasKilled } from './scene.ts';

/** Claims, handles and settles in every way there is: late, in part, with an old snapshot, after a crash not at all. */
export async function work(scene: Scene, random: Random, handled: Handled): Promise<void> {
  const heartbeat = await scene.room.session();
  while (scene.running) {
    const session = await openSession(scene.room.url);
    scene.victims.add(session.pid);
    try {
      await live({ scene, random, handled, worker: createWorker(session, optionsOf(scene, random)), heartbeat });
    } catch (error) {
      if (!wasKilled(error)) throw error;
      scene.tally.killed += 1;
    } finally {
      scene.victims.delete(session.pid);
      await session.close();
    }
  }
}

/** As long as the connection lives; its leases outlive it. */
async function live(scope: Scope): Promise<void> {
  const { scene, random, worker } = scope;
  const store = scene.room.store(worker.session);
  while (scene.running) {
    try {
      const { runs } = await worker.claim({ limit: random.pick([1, 5, 50]), runLength: random.pick([1, 3, 10]) });
      scene.tally.claims += 1;
      if (random.chance(0.5)) scene.tally.swept += await sweep(worker.session, store, { most: 100, retryMs: 20 });
      if (runs.length === 0) await random.work(4);
      else await handleAll(runs, scope);
    } catch (error) {
      countConflict(scene.tally, error);
    }
  }
}

function optionsOf(
  { crashes, room }: Scene,
  random: Random,
): Partial<WorkerOptions> & Pick<WorkerOptions, 'contracts'> {
  const some = new Map([...room.contracts].filter(([name]) => name === PARCEL));
  return {
    contracts: random.chance(0.2) ? some : room.contracts,
    ...(crashes ? { leaseMs: random.pick([60, 120]), fullScanMs: 300 } : {}),
  };
}

interface Scope {
  readonly scene: Scene;
  readonly random: Random;
  readonly handled: Handled;
  readonly worker: Worker;
  readonly heartbeat: Session;
}

async function handleAll(runs: readonly Run<TypedRecord>[], scope: Scope): Promise<void> {
  const { scene, random, worker, heartbeat, handled } = scope;
  // While no lease ever ends, no two workers may hold one key.
  if (!scene.crashes) for (const { recordKey } of runs) scene.tally.overlaps += handled.enter(recordKey);
  if (random.chance(0.2)) await random.work(200);
  else if (random.chance(0.3)) {
    await random.work(10);
    await renew(heartbeat, scene.room.store(heartbeat), {
      owner: worker.owner,
      leases: runs,
      leaseMs: scene.crashes ? 100 : 60_000,
    });
  }
  if (scene.crashes && random.chance(0.05)) return;
  for (const run of runs) await handleRun(run, scope);
}

async function handleRun(run: Run<TypedRecord>, scope: Scope): Promise<void> {
  const { scene, random, handled } = scope;
  const delivered = random.chance(0.6) ? run.records.length : random.integer(run.records.length + 1);
  const next = nextOf(run, delivered, scope);
  // A record that failed was tried too. A stale owner may still try what the store has given up meanwhile, but never as the first one.
  const tried = next.then === 'retry' || next.then === 'dead-letter' ? delivered + 1 : delivered;
  for (const { position } of run.records.slice(0, tried))
    scene.tally.handledOutOfOrder += handled.note(run.recordKey, position);
  handled.leave(run.recordKey);
  const result = await settleOnce(run, delivered, next, scope);
  if (result.status === 'lease-lost') scene.tally.leasesLost += 1;
  if (result.status !== 'settled') return;
  scene.tally.delivered += delivered;
  if (result.keptHead === null) return;
  if (!scene.crashes) scene.tally.overlaps += handled.enter(run.recordKey);
  await random.work(5);
  await handleRun({ ...run, head: result.keptHead, records: run.records.slice(delivered) }, scope);
}

function nextOf(run: Run<TypedRecord>, delivered: number, { random, scene }: Scope): Next {
  const failing = run.records[delivered];
  if (failing === undefined) return { then: 'release' };
  const then = random.pick(['keep', 'release', 'retry', 'retry', 'dead-letter']);
  if (then === 'retry') scene.tally.retries += 1;
  if (then === 'dead-letter') scene.tally.deadLetters += 1;
  switch (then) {
    case 'keep':
    case 'release':
      return { then };
    case 'retry':
      return { then, delayMs: random.pick([0, 20]), error: 'again' };
    case 'dead-letter':
      return { then, position: failing.position, reason: 'refused', error: 'no' };
  }
}

type Settled = Awaited<ReturnType<Worker['settle']>>;

async function settleOnce(
  run: Run<TypedRecord>,
  delivered: number,
  next: Next,
  { random, worker, scene }: Scope,
): Promise<Settled> {
  if (!random.chance(0.25)) return worker.settle(run, delivered, next);
  // As an in-database handler does, some with a stricter transaction, and one that is paused before its commit.
  await worker.session.begin(random.pick(['read committed', 'repeatable read', 'repeatable read', 'serializable']));
  try {
    await worker.session.query('select 1 from waybill.message limit 1');
    await random.work(20);
    const result = await worker.settle(run, delivered, next);
    if (random.chance(0.2)) await random.work(200);
    await worker.session.commit();
    return result;
  } catch (error) {
    await worker.session.rollback();
    countConflict(scene.tally, error);
    return worker.settle(run, delivered, next);
  }
}

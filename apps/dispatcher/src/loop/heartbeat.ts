import { classifyStoreError, type Executor, enterBatch, type Renewal, type Store, seeDispatcher } from '@waybill/store';
import { type BackoffShape, backoffMs } from '../retry/backoff.ts';
import type { Clock } from './clock.ts';
import type { HeldRun } from './held-run.ts';
import type { HeldRuns } from './held-runs.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';
import type { LoopSettings } from './settings.ts';
import type { StoreHealth } from './store-health.ts';

export interface HeartbeatDeps {
  readonly store: Store;
  /** A connection of its own: work under way can neither delay nor exhaust it. */
  readonly executor: Executor;
  readonly sessions: Sessions;
  readonly held: HeldRuns;
  readonly health: StoreHealth;
  /** An operator wants this process to drain. */
  readonly onDrainAsked: () => void;
  readonly lease: LoopSettings['lease'];
  readonly marginMs: number;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Beats until the signal fires: one beat after the other, however long one takes. Never throws. */
export async function heartbeat(deps: HeartbeatDeps, signal: AbortSignal): Promise<void> {
  const { clock, lease } = deps;
  // A failed beat is repeated well before the next one is due, since leases run out meanwhile.
  const retry: BackoffShape = { baseMs: lease.renewEveryMs / 10, factor: 2, capMs: lease.renewEveryMs / 2 };
  let failures = 0;
  await clock.sleep(lease.renewEveryMs, signal);
  while (!signal.aborted) {
    const startedAt = clock.now();
    const complete = await beat(deps);
    failures = complete ? 0 : failures + 1;
    const restMs = complete ? lease.renewEveryMs - (clock.now() - startedAt) : backoffMs(failures, retry, deps.random);
    await clock.sleep(restMs, signal);
  }
}

/** Renews everything that is held and shows that this process lives. Gives whether nothing has to be repeated soon. */
async function beat(deps: HeartbeatDeps): Promise<boolean> {
  let complete = true;
  for (const session of deps.sessions.all()) {
    try {
      complete = (await renewSession(session, deps)) && complete;
      await see(session, deps);
      deps.health.answered();
    } catch (error) {
      deps.health.failed('heartbeat', error);
      if (classifyStoreError(error) === 'unavailable') session.lose();
      complete = false;
    }
  }
  return complete;
}

async function renewSession(
  session: Session,
  { executor, held, health, lease, marginMs, clock }: HeartbeatDeps,
): Promise<boolean> {
  // What was told to stop is not prolonged: whoever waits for it should get it.
  const runs = held.ofOwner(session.owner).filter((run) => !run.isStopped);
  const beats = runs.map((run) => ({ run, head: run.head, mark: run.writeMark }));
  // The new expiry is counted at the server, after this moment.
  const sentAt = clock.now();
  const ask = (): Promise<Renewal> => session.renew(executor, runs);
  // Without runs there is mostly nothing to ask, and that would look like a quick answer.
  const renewal = runs.length > 0 ? await health.measure('renew', ask) : await ask();
  const verdicts = beats.map(({ run, head, mark }) => {
    const verdict = judgeRenewal(head, mark !== null && mark === run.writeMark, renewal);
    applyVerdict(verdict, run, sentAt + lease.leaseMs - marginMs);
    return verdict;
  });
  return !verdicts.includes('unclear');
}

/**
 * What a renewal says about one run. `undisturbed`: no settlement was under way beside it, else the lease may have moved to the next record.
 * A head that somebody locks for a moment is still ours and not renewed; a head that is not ours any more is lost.
 */
export function judgeRenewal(
  head: string,
  undisturbed: boolean,
  { renewed, owned }: Renewal,
): 'renewed' | 'unclear' | 'lost' {
  if (renewed.has(head)) return 'renewed';
  return owned.has(head) || !undisturbed ? 'unclear' : 'lost';
}

function applyVerdict(verdict: 'renewed' | 'unclear' | 'lost', run: HeldRun, safeUntil: number): void {
  if (verdict === 'renewed') run.extend(safeUntil);
  if (verdict === 'lost') run.lose();
}

async function see(session: Session, { store, executor, held, lease, onDrainAsked }: HeartbeatDeps): Promise<void> {
  const inHand = held.ofOwner(session.owner).flatMap((run) => run.inHand);
  const { registered, silent, drainAsked } = await seeDispatcher(store, { id: session.owner, inHand }, executor);
  if (session.drainMode === 'batch') {
    const entry = await enterBatch(executor, store, { owner: session.owner, leaseMs: lease.leaseMs });
    // The lease ran out, and somebody else drains now.
    if (entry !== 'entered') session.lose();
  }
  if (drainAsked) onDrainAsked();
  // Somebody has removed the entry, so gates and writers no longer count on this process.
  if (!registered) session.lose();
  if (session.noteSilent(silent)) session.claimer.forget();
}

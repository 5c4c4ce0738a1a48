import { classifyStoreError } from '@waybill/store';
import { type ClaimLoopDeps, isOver, take } from './claim-loop.ts';
import type { Session } from './session.ts';

/**
 * What a process does about suspects: records that were in hand when their process died. A dispatcher leaves them and sees to it that somebody
 * handles them; that is a process of its own, so that no other record suffers, and nobody has to drain before one can be handled alone.
 */
export type Suspects =
  | { readonly role: 'leave'; readonly onFound: () => void }
  | { readonly role: 'handle'; readonly onNone: () => void };

/** A look for more after the last one: a suspect that wakes behind another of its key is worth the wait, an idle process is not. */
const EMPTY_LOOKS = 20;

/** Claims one suspect after the other, each when nothing else is in hand, until there are none. Never throws. */
export async function claimSuspectsUntilOver(session: Session, deps: ClaimLoopDeps, onNone: () => void): Promise<void> {
  const { clock, held, demand, settings } = deps;
  let emptyLooks = 0;
  while (!isOver(session, deps)) {
    deps.onRound();
    if (held.size > 0) {
      await demand.wait(clock, settings.polling.idleMs);
      continue;
    }
    const found = await claimOne(session, deps);
    if (found === null) {
      await clock.sleep(deps.health.restMs(), deps.stopping);
      continue;
    }
    emptyLooks = found ? 0 : emptyLooks + 1;
    if (emptyLooks >= EMPTY_LOOKS) onNone();
    if (!found) await clock.sleep(settings.polling.idleMs, deps.stopping);
  }
}

/** Gives whether there was one; null when the store failed. */
async function claimOne(session: Session, deps: ClaimLoopDeps): Promise<boolean | null> {
  const { clock, health, settings } = deps;
  const sentAt = clock.now();
  try {
    const runs = await session.claimer.claimSuspect();
    health.works();
    return take({ runs }, session, sentAt + settings.lease.leaseMs - deps.marginMs, deps) > 0;
  } catch (error) {
    health.failed('claim', error);
    if (classifyStoreError(error) === 'unavailable') session.lose();
    return null;
  }
}

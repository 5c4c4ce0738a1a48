import { type Executor, leaveDispatcher, type Store } from '@waybill/store';

/**
 * Sessions end when connections are lost, and the pool may not have noticed yet that its idle one is gone as well: a try that fails takes it out.
 * More tries than that would only knock at a store that is down.
 */
const TRIES = 2;

/** Signs a session off that is over. Throws what the last try has met; gates find out by its silence then. */
export async function signOff(store: Store, owner: string, executor: Executor): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      await leaveDispatcher(store, owner, executor);
      return;
    } catch (error) {
      if (tried === TRIES) throw error;
    }
  }
}

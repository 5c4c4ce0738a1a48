import type { Readers } from '@waybill/contracts';
import {
  type Claimer,
  type ContractIds,
  createDrainer,
  createKeylessDrainer,
  type Drainer,
  needsKeylessDrainer,
  type Store,
} from '@waybill/store';
import type { Clock } from './clock.ts';
import { RELEASE } from './held-run.ts';
import type { LoopSettings } from './settings.ts';

export interface DrainerDeps {
  readonly store: Store;
  readonly readers: Readers;
  readonly lease: LoopSettings['lease'];
  readonly clock: Clock;
}

export interface DrainerOwner {
  readonly owner: string;
  readonly contracts: ContractIds;
  /** Whether nobody else drains the store now. */
  readonly drainsAlone: () => boolean;
  /** Called when the tables need another drainer. */
  readonly onOutdated: () => void;
}

/** Opens the drainer that the tables need now. */
export async function openDrainer(
  { store, readers, lease: { leaseMs }, clock }: DrainerDeps,
  { owner, contracts, drainsAlone, onOutdated }: DrainerOwner,
): Promise<Drainer & { readonly isKeyless: boolean }> {
  const options = { owner, contracts, leaseMs, now: () => clock.now() };
  if (await needsKeylessDrainer(store, contracts))
    return { ...createKeylessDrainer(store, { ...options, readers, onKeyed: onOutdated }), isKeyless: true };
  const drainer = createDrainer(store, options);
  const claim: Claimer['claim'] = async (request) => {
    const answer = await drainer.claimer.claim(request);
    // A process of an older generation still writes without keys. Pull workers do not wait for those: the gate is what looks after them.
    if (!drainsAlone() || answer.runs.length === 0 || !(await needsKeylessDrainer(store, contracts))) return answer;
    onOutdated();
    const back = answer.runs.map(({ head, fence }) => ({ head, fence, delivered: [], next: RELEASE }));
    await drainer.settle(store.database, back);
    return { ...answer, runs: [] };
  };
  return { ...drainer, claimer: { ...drainer.claimer, claim }, isKeyless: false };
}

/** A dispatcher's share of the store: one owner, its claims and its settlements. */
import { randomUUID } from 'node:crypto';

import type { Run } from '../src/claimed.ts';
import { type ClaimAnswer, type Claimer, createClaimer, type TypedRecord } from '../src/claimer.ts';
import type { ContractIds } from '../src/contracts.ts';
import type { Executor } from '../src/executor.ts';
import { type Next, type SettleResult, settle } from '../src/statements/settle.ts';
import { openStore } from '../src/store.ts';
import type { Session } from './session.ts';

export interface WorkerOptions {
  readonly contracts: ContractIds;
  readonly leaseMs: number;
  readonly fullScanMs: number;
}

export interface Worker {
  readonly owner: string;
  readonly session: Session;
  readonly claimer: Claimer;
  claim(request?: {
    limit?: number;
    heads?: number;
    runLength?: number;
    timed?: boolean;
    asks?: readonly number[];
  }): Promise<ClaimAnswer>;
  /** Claims and gives the steps of each run, as `key:step,step`. */
  take(request?: Parameters<Worker['claim']>[0]): Promise<readonly string[]>;
  settle(run: Run, delivered?: number, next?: Next, executor?: Executor): Promise<SettleResult>;
}

/** Nobody takes longer than this, unless the test says so. */
const LEASE_MS = 60_000;
/** Only floors may find work; a test that needs a full scan calls `forget`. */
const NEVER_MS = 1e12;

export function createWorker(
  session: Session,
  { contracts, leaseMs = LEASE_MS, fullScanMs = NEVER_MS }: Partial<WorkerOptions> & Pick<WorkerOptions, 'contracts'>,
): Worker {
  const owner = randomUUID();
  const store = openStore(session);
  const claimer = createClaimer(store, { owner, contracts, leaseMs, fullScanMs, now: () => performance.now() });
  const claim: Worker['claim'] = (request = {}) =>
    claimer.claim({ limit: 100, runLength: 50, timed: true, ...request });
  return {
    owner,
    session,
    claimer,
    claim,
    take: async (request) => (await claim(request)).runs.map(describeRun),
    async settle(run, delivered = run.records.length, next = { then: 'release' }, executor = session) {
      const positions = run.records.slice(0, delivered).map(({ position }) => position);
      const [result] = await settle(executor, store, owner, [
        { head: run.head, fence: run.fence, recordKey: run.recordKey, delivered: positions, next },
      ]);
      if (result === undefined) throw new Error('settle answered without a result');
      return result;
    },
  };
}

function describeRun(run: Run<TypedRecord>): string {
  const steps = run.records.map(({ payload }) => String((JSON.parse(payload) as { step?: number }).step ?? '-'));
  return `${run.recordKey.replace('Parcel/', '')}:${steps.join(',')}`;
}

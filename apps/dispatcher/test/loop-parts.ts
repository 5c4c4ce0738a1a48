import type { TypedRecord } from '@waybill/store';
import { HeldRun } from '../src/loop/held-run.ts';
import type { LoopLogger } from '../src/loop/loop-logger.ts';

const nothing = (): void => {};

export const silentLogger: LoopLogger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** A record as a claim would give it. */
export function claimedRecord(position: string, members: Partial<TypedRecord> = {}): TypedRecord {
  return {
    position,
    seq: position,
    id: `00000000-0000-4000-8000-${position.padStart(12, '0')}`,
    contractId: 1,
    type: 'parcels.weigh',
    version: 1,
    occurredAt: new Date(0),
    enqueuedAt: new Date(0),
    tenant: null,
    recordKey: 'Parcel/1',
    event: null,
    headers: {},
    payload: '{"parcel":"1","grams":1}',
    attempt: 0,
    policy: null,
    crashes: 0,
    ...members,
  };
}

/** A run of the given positions under fence 1, safe until `safeUntil`. */
export function heldRun(
  positions: readonly string[],
  safeUntil = Number.POSITIVE_INFINITY,
  owner = 'owner',
  recordKey = 'Parcel/1',
): HeldRun {
  const records = positions.map((position) => claimedRecord(position));
  return new HeldRun({ head: positions[0] ?? '', fence: '1', recordKey, records }, owner, safeUntil);
}

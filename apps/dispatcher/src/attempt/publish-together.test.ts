import { createReaders, type TransportOutcome } from '@waybill/contracts';
import type { TypedRecord } from '@waybill/store';
import { NOT_SENT, type OutgoingMessage } from '@waybill/transports';
import { memory } from '@waybill/transports/memory';
import { expect, test } from 'vitest';
import { claimedRecord, heldRun } from '../../test/loop-parts.ts';
import { MoveParcel, parcels } from '../../test/parcels.ts';
import { systemClock } from '../loop/clock.ts';
import { DEFAULT_RETRY_POLICY } from '../retry/retry-policy.ts';
import { publish } from '../routes/publish.ts';
import { publishTogether } from './publish-together.ts';

const ACCEPTED: TransportOutcome = { outcome: 'accepted', receipt: null, duplicate: false };
const UNSENT: TransportOutcome = { outcome: 'retry', class: NOT_SENT };

const moves = (payloads: readonly string[]): readonly TypedRecord[] =>
  payloads.map((payload, index) => claimedRecord(String(index + 1), { type: MoveParcel.type, version: 2, payload }));
const move = (step: number): string => JSON.stringify({ parcel: 'a', step, depot: 'd' });

async function publishing(payloads: readonly string[], answers: readonly TransportOutcome[]) {
  const sent: OutgoingMessage[] = [];
  const unreadable: string[] = [];
  const to = {
    ...memory(),
    publish: (batch: readonly OutgoingMessage[]) => {
      sent.push(...batch);
      return Promise.resolve(answers);
    },
  };
  const [first, ...others] = moves(payloads).map((record) => ({ record, route: publish(MoveParcel, { to }) }));
  if (first === undefined) throw new Error('nothing to publish');
  const ends = await publishTogether([first, ...others], heldRun(['1']), {
    readers: createReaders([parcels]),
    onRead: () => {},
    onUnreadable: (record) => {
      unreadable.push(record.position);
      return Promise.resolve(false);
    },
    policy: () => ({ ...DEFAULT_RETRY_POLICY, id: 1 }),
    clock: systemClock,
    random: () => 0.5,
  });
  return { sent: sent.map(({ body }) => body), unreadable, ends };
}

test('T01: the records of a run leave in one publish, in their order', async () => {
  const { sent, ends } = await publishing([move(1), move(2), move(3)], [ACCEPTED, ACCEPTED, ACCEPTED]);
  expect(sent).toEqual([move(1), move(2), move(3)]);
  expect(ends.map(({ decision }) => decision)).toEqual([{ delivered: true }, { delivered: true }, { delivered: true }]);
});

test('T01, T04: the first that fails is charged for it; what comes after it was not sent, and is as it was', async () => {
  const failed: TransportOutcome = { outcome: 'retry', class: 'busy' };
  const { ends } = await publishing([move(1), move(2), move(3)], [ACCEPTED, failed, UNSENT]);
  expect(ends.map(({ outcome }) => outcome.outcome)).toEqual(['accepted', 'retry', 'lease-lost']);
  expect(ends[1]?.decision).toMatchObject({ delivered: false, next: { then: 'retry' } });
  expect(ends[2]?.decision).toEqual({ delivered: false, next: { then: 'release' } });
});

test('I01: what a transport accepted against the order, after one that failed, is delivered again in its place', async () => {
  const { ends } = await publishing([move(1), move(2)], [{ outcome: 'unknown', class: 'cut' }, ACCEPTED]);
  expect(ends.map(({ decision }) => decision.delivered)).toEqual([false, false]);
});

test('T04: a transport that gives too few outcomes may have sent the rest', async () => {
  const { ends } = await publishing([move(1), move(2), move(3)], [ACCEPTED]);
  expect(ends.map(({ outcome }) => outcome.outcome)).toEqual(['accepted', 'unknown', 'lease-lost']);
});

test('O02: a record that cannot be read ends what is sent; those before it leave, those after it wait behind it', async () => {
  const { sent, unreadable, ends } = await publishing([move(1), '{}', move(3)], [ACCEPTED]);
  expect(sent).toEqual([move(1)]);
  expect(unreadable).toEqual(['2']);
  expect(ends.map(({ outcome }) => outcome.outcome)).toEqual(['accepted', 'unreadable-here', 'lease-lost']);
});

test('O02: nobody says that a record cannot be read while those before it are not delivered', async () => {
  const { unreadable, ends } = await publishing([move(1), '{}'], [{ outcome: 'retry', class: 'busy' }]);
  expect(unreadable).toEqual([]);
  expect(ends.map(({ outcome }) => outcome.outcome)).toEqual(['retry', 'lease-lost']);
});

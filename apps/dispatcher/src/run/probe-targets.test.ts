import type { ProbeResult, Transport } from '@waybill/transports';
import { memory } from '@waybill/transports/memory';
import { expect, test } from 'vitest';
import { MoveParcel, NotifyOwner, WeighParcel } from '../../test/parcels.ts';
import { call } from '../routes/call.ts';
import { publish } from '../routes/publish.ts';
import { probeTargets } from './probe-targets.ts';

function target(name: string, probe: () => Promise<ProbeResult>): Transport {
  return { ...memory(), name, probe };
}

test('T01: what a target says of itself is a warning when the program starts, and nothing that it says or throws keeps it from starting', async () => {
  const warned: unknown[] = [];
  const log = { warn: (fields: unknown) => void warned.push(fields) };
  const weak = target('weak', () => Promise.resolve({ status: 'reachable', warnings: ['the queue is transient'] }));
  const away = target('away', () => Promise.resolve({ status: 'unreachable', class: 'connection-refused' }));
  const broken = target('broken', () => Promise.reject(new Error('no such thing')));
  await probeTargets(
    [
      publish(MoveParcel, { to: weak }),
      publish(WeighParcel, { to: away }),
      publish(NotifyOwner, { to: broken }),
      publish(NotifyOwner, { to: target('sound', () => Promise.resolve({ status: 'reachable', warnings: [] })) }),
      call(NotifyOwner, () => undefined),
    ],
    log,
    { leaseMs: 30_000, signal: AbortSignal.timeout(5_000) },
  );
  expect(warned).toEqual([
    { destination: 'weak', warning: 'the queue is transient' },
    { destination: 'away', class: 'connection-refused' },
    { destination: 'broken', error: 'Error: no such thing' },
  ]);
});

test.each([
  [null, []],
  [60_000, []],
  [
    59_999,
    [
      {
        destination: 'broker',
        warning: expect.stringMatching(/^it knows ids for 59999 ms, and two leases last 60000 ms: /),
      },
    ],
  ],
])('T01: a target that knows ids for %s ms is judged by the length of a lease', async (dedupWindowMs, expected) => {
  const warned: unknown[] = [];
  const sound = target('broker', () => Promise.resolve({ status: 'reachable', warnings: [] }));
  const to = { ...sound, capabilities: { ...sound.capabilities, dedupWindowMs } };
  const surroundings = { leaseMs: 30_000, signal: new AbortController().signal };
  await probeTargets(
    [publish(MoveParcel, { to })],
    { warn: (fields: unknown) => void warned.push(fields) },
    surroundings,
  );
  expect(warned).toEqual(expected);
});

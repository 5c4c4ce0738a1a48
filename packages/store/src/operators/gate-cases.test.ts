/** For each gate: when it must refuse, and when refusing would be wrong. */
import { randomUUID } from 'node:crypto';
import type { ReadResult, StoredPayload } from '@waybill/contracts';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';

import { ANNA, drain, idOf, killHeads } from '../../test/dead.ts';
import { ParcelMoved, ReleasedParcelMoved, testReaders } from '../../test/messages.ts';
import { LATER, NEW, OLD, TYPE, VERSIONS } from '../../test/releases.ts';
import { openRoom } from '../../test/room.ts';
import { registerContracts } from '../contracts.ts';
import { enqueue } from '../drivers/pg.ts';
import type { GateVerdict } from '../rollout/gate-report.ts';
import { leaveDispatcher, registerDispatcher } from '../statements/dispatcher-registry.ts';
import { giveUpContract } from '../statements/unreadable.ts';
import { startWriter } from '../writer/start-writer.ts';
import { declareReader, withdrawReader } from './declare-reader.ts';
import { discard } from './discard.ts';
import { gateRetire, gateRollback, gateWriters } from './gates.ts';
import { replay } from './replay.ts';
import { retireVersion } from './retire.ts';
import { gateShadowRead } from './shadow-read.ts';
import { allowWrites, pinVersion, unpinVersion } from './version-pin.ts';

const room = await openRoom();
const store = room.store(room.observer);

const ids = await registerContracts(store, VERSIONS, 'test');
const writers: { stop(): Promise<void> }[] = [];

async function run(build: string, ...reads: readonly number[]): Promise<string> {
  const id = randomUUID();
  const contractIds = reads.map((version) => ids.get(`${TYPE}@${version}`) ?? 0);
  await registerDispatcher(store, { id, build, contractIds });
  return id;
}
const silentFor = (table: 'dispatcher' | 'writer', build: string, seconds: number): Promise<unknown> =>
  room.query(`update waybill.${table} set seen_at = clock_timestamp() - $2 * interval '1 second' where build = $1`, [
    build,
    seconds,
  ]);
const declare = (reads: Readonly<Record<string, readonly number[]>>, until: Date = LATER): Promise<string> =>
  declareReader(store, { build: 'declared', reads, until }, ANNA);
const expired = (): Promise<unknown> =>
  room.query(`update waybill.reader set until = clock_timestamp() - interval '1 second'`);
const pin = (version: number, percent = 100): Promise<unknown> =>
  pinVersion(store, { type: TYPE, version, percent }, ANNA);

async function write(version: 1 | 2, dueAt?: Date): Promise<void> {
  const session = await room.session();
  await session.begin();
  const options = dueAt === undefined ? {} : { dueAt };
  if (version === 2) await enqueue(session.native, ParcelMoved, { id: 'a', step: 1 }, options);
  else await enqueue(session.native, ReleasedParcelMoved, { id: 'a' }, options);
  await session.commit();
}
async function writeDead(): Promise<string> {
  await write(2);
  await killHeads(await room.worker());
  return idOf(room, 'a', 1);
}
async function service(build: string, message: unknown): Promise<{ stop(): Promise<void> }> {
  const writer = startWriter(store, { build, writes: [message as typeof ParcelMoved] });
  writers.push(writer);
  await writer.registered;
  return writer;
}

type Case = readonly [GateVerdict, string, () => Promise<unknown>];

beforeEach(() => run('new', 1, 2));
afterEach(async () => {
  for (const writer of writers.splice(0)) await writer.stop();
  await room.clear();
  await room.query(
    'truncate waybill.reader, waybill.version_pin, waybill.write_override, waybill.writer; update waybill.contract set retired_at = null, revision = 1',
  );
});
afterAll(() => room[Symbol.asyncDispose]());

const unpinned = async (): Promise<void> => {
  await pin(1);
  await unpinVersion(store, TYPE, ANNA);
};

describe('W32 W33: gate writers, for a build that writes version 2, beside one that reads it', () => {
  const cases: readonly Case[] = [
    ['safe', 'nothing else is there', async () => {}],
    ['unsafe', 'a running build reads version 1 only', () => run('old', 1)],
    [
      'unsafe',
      'one of its two instances has left',
      async () => leaveDispatcher(store, (await run('old', 1), await run('old', 1))),
    ],
    ['safe', 'the older build has signed off', async () => leaveDispatcher(store, await run('old', 1))],
    [
      'unsafe',
      'the older build is silent, and may only be slow',
      async () => (await run('old', 1), silentFor('dispatcher', 'old', 110)),
    ],
    [
      'safe',
      'the older build has been silent for longer than it counts',
      async () => (await run('old', 1), silentFor('dispatcher', 'old', 130)),
    ],
    [
      'safe',
      'another build has nothing to do with the type',
      () => registerDispatcher(store, { id: randomUUID(), build: 'other', contractIds: [] }),
    ],
    ['unsafe', 'a script is declared that reads version 1 only', () => declare({ [TYPE]: [1] })],
    ['safe', 'a script is declared that reads both', () => declare({ [TYPE]: [1, 2] })],
    ['safe', 'a script is declared for another type', () => declare({ 'test.other': [1] })],
    ['safe', 'the declaration was withdrawn', async () => withdrawReader(store, await declare({ [TYPE]: [1] }), ANNA)],
    ['safe', 'the declaration is over', async () => (await declare({ [TYPE]: [1] }), expired())],
    [
      'unsafe',
      'version 2 is retired',
      () => room.query('update waybill.contract set retired_at = now() where schema_version = 2'),
    ],
    [
      'unsafe',
      'a build could not read it after all',
      async () => {
        const id = await run('mistaken', 1, 2);
        await giveUpContract(store, { id, contractId: ids.get(`${TYPE}@2`) ?? 0 });
      },
    ],
  ];
  test.each(cases)('%s when %s', async (verdict, _when, given) => {
    await given();
    expect((await gateWriters(store, NEW)).verdict).toBe(verdict);
  });
});

describe('V04 W34: gate rollback, to a build that reads version 1, declared or held back in another way', () => {
  const cases: readonly Case[] = [
    ['unknown', 'version 2 may be written at any moment', async () => {}],
    ['safe', 'the target is declared', () => declare({ [TYPE]: [1] })],
    ['safe', 'the target runs beside the newer build', () => run('old', 1)],
    ['safe', 'the type is pinned to version 1', () => pin(1)],
    ['safe', 'version 2 is ramped to no key at all', () => pin(2, 0)],
    ['unknown', 'version 2 is ramped to one key in a hundred', () => pin(2, 1)],
    ['unknown', 'the pin was taken back', unpinned],
    ['unknown', 'the declaration is over', async () => (await declare({ [TYPE]: [1] }), expired())],
    [
      'unknown',
      'an operator allows version 2 all the same',
      async () => (await declare({ [TYPE]: [1] }), allowWrites(store, { type: TYPE, version: 2, until: LATER }, ANNA)),
    ],
    ['unsafe', 'a record of version 2 waits', async () => (await write(2), declare({ [TYPE]: [1] }))],
    ['unsafe', 'one is due tomorrow', async () => (await write(2, LATER), declare({ [TYPE]: [1] }))],
    [
      'unsafe',
      'one is in hand',
      async () => (await write(2), await (await room.worker()).claim(), declare({ [TYPE]: [1] })),
    ],
    ['unsafe', 'one is dead, and may be replayed', async () => (await writeDead(), declare({ [TYPE]: [1] }))],
    [
      'unsafe',
      'one was replayed, and waits again',
      async () => (await replay(store, await writeDead(), ANNA), declare({ [TYPE]: [1] })),
    ],
    [
      'safe',
      'a dead one was given up',
      async () => (await discard(store, await writeDead(), ANNA), declare({ [TYPE]: [1] })),
    ],
    [
      'safe',
      'a dead one was replayed and delivered',
      async () => (
        await replay(store, await writeDead(), ANNA), await drain(await room.worker()), declare({ [TYPE]: [1] })
      ),
    ],
    [
      'safe',
      'all of version 2 was delivered',
      async () => (await write(2), await drain(await room.worker()), declare({ [TYPE]: [1] })),
    ],
    ['safe', 'only version 1 waits', async () => (await declare({ [TYPE]: [1] }), write(1))],
  ];
  test.each(cases)('%s when %s', async (verdict, _when, given) => {
    await given();
    expect((await gateRollback(store, OLD)).verdict).toBe(verdict);
  });
});

describe('V05: gate retire for version 1, and the retirement itself, with the same answer', () => {
  const subject = { type: TYPE, version: 1 };
  const cases: readonly Case[] = [
    ['safe', 'version 2 may be written', async () => {}],
    ['unsafe', 'a record of it waits', () => write(1)],
    ['unsafe', 'one is due tomorrow', () => write(1, LATER)],
    ['safe', 'records of version 2 wait', () => write(2)],
    ['unsafe', 'writers fall back to it, since an older build runs', () => run('old', 1)],
    ['unsafe', 'writers fall back to it, since a target is declared', () => declare({ [TYPE]: [1] })],
    ['unsafe', 'an operator holds the type at it', () => pin(1)],
    ['safe', 'the pin was taken back', unpinned],
    ['unsafe', 'a running service has nothing newer to write', () => service('shop@1', ReleasedParcelMoved)],
    ['safe', 'that service has signed off', async () => (await service('shop@1', ReleasedParcelMoved)).stop()],
    [
      'safe',
      'that service has been silent for longer than it counts',
      async () => (await service('shop@1', ReleasedParcelMoved), silentFor('writer', 'shop@1', 120)),
    ],
    ['safe', 'a running service writes version 2', () => service('shop@2', ParcelMoved)],
  ];
  test.each(cases)('%s when %s', async (verdict, _when, given) => {
    await given();
    const { verdict: said, revision } = await gateRetire(store, subject);
    expect(said).toBe(verdict);
    const { status } = await retireVersion(store, { ...subject, expectedRevision: revision ?? 0 }, ANNA);
    expect(status).toBe(verdict === 'safe' ? 'retired' : 'blocked');
  });
});

describe('V09: gate shadow-read', () => {
  const cases: readonly Case[] = [
    ['safe', 'nothing waits', async () => {}],
    ['safe', 'all that waits is read', async () => (await write(1), write(2))],
    ['unsafe', 'a dead letter may be replayed', () => writeDead()],
    ['safe', 'the dead letter was given up', async () => discard(store, await writeDead(), ANNA)],
    ['unsafe', 'the dead letter was replayed, and waits', async () => replay(store, await writeDead(), ANNA)],
    ['safe', 'what it cannot read was delivered', async () => (await write(2), drain(await room.worker()))],
  ];
  test.each(cases)('%s when %s', async (verdict, when, given) => {
    await given();
    const readers: Pick<typeof testReaders, 'read'> = when.includes('all that waits')
      ? testReaders
      : {
          read: ({ type, version }: StoredPayload): ReadResult => ({
            status: 'unknown-version',
            type,
            version,
            reason: 'only the older one is known',
          }),
        };
    expect((await gateShadowRead(store, { build: 'candidate', readers, limit: 'all' })).verdict).toBe(verdict);
  });
});

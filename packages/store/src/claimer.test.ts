import { afterAll, expect, test } from 'vitest';
import { openRoom } from '../test/room.ts';
import { registerDispatcher, seeDispatcher } from './statements/dispatcher-registry.ts';
import { openStore } from './store.ts';

const room = await openRoom();
afterAll(() => room[Symbol.asyncDispose]());

test('F006: a claim that only found what a dead process had in hand says that there may be more, until there is not', async () => {
  const store = openStore(room.observer);
  const dead = await room.worker({ leaseMs: 30_000 });
  const witness = await room.worker();
  for (const { owner } of [dead, witness])
    await registerDispatcher(store, { id: owner, build: 'test@1', contractIds: [...room.contracts.values()] });
  for (const parcel of Array.from({ length: 40 }, (_, nth) => `p${String(nth)}`))
    await room.enqueue(room.observer, parcel, 1);
  const { runs } = await dead.claim({ runLength: 1 });
  await seeDispatcher(store, { id: dead.owner, inHand: runs.map(({ head }) => head) });
  // Time goes by, and the witness beats meanwhile.
  await room.query(
    `update waybill.dispatcher set seen_at = seen_at - interval '1 minute', started_at = started_at - interval '1 minute',
       steady_since = steady_since - interval '1 minute'`,
  );
  await room.query('update waybill.dispatcher set seen_at = clock_timestamp() where id = $1::uuid', [witness.owner]);
  await room.expireLeases();

  const claims: (readonly [records: number, moreLeft: boolean])[] = [];
  do {
    const answer = await witness.claim({ limit: 16 });
    claims.push([answer.runs.length, answer.moreLeft]);
  } while (claims.at(-1)?.[1] === true);
  expect(claims).toEqual([
    [0, true],
    [0, true],
    [0, false],
  ]);
  expect(await room.query('select count(*)::integer as suspects from waybill.delivery where crashes = 1')).toEqual([
    { suspects: 40 },
  ]);
  expect(await witness.claim({ limit: 16 })).toMatchObject({ runs: [], moreLeft: false, suspects: true });
});

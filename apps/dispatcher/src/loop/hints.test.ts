import { entry, openStore } from '@waybill/store';
import { enqueue, type Hints, listenForHints, pgDatabase } from '@waybill/store/pg';
import { expect, test } from 'vitest';
import { Outbox, startLoop } from '../../test/loop.ts';
import { NotifyOwner } from '../../test/parcels.ts';
import { call } from '../routes/call.ts';
import { type Clock, systemClock } from './clock.ts';
import type { OpenHints } from './hints.ts';
import { NO_OBSERVER } from './observer.ts';

/** Longer than any test: a message is found by its hint, or not at all. */
const HARDLY_EVER = { polling: { busyMs: 1, idleMs: 3_600_000 } };
const CALM = 8;

function hearing(outbox: Outbox): { readonly openHints: OpenHints; readonly opened: Hints[] } {
  const opened: Hints[] = [];
  return {
    opened,
    openHints: async (onHint) => {
      const store = openStore(pgDatabase(outbox.pool));
      const hints = await listenForHints(store, { url: outbox.url, applicationName: 'hints' }, onHint);
      opened.push(hints);
      return hints;
    },
  };
}
const wishes = async (outbox: Outbox): Promise<unknown> =>
  (await outbox.query('select wants_hints from waybill.dispatcher order by started_at desc limit 1'))[0]?.[
    'wants_hints'
  ];

/** A loop that has gone to its long rest. */
async function restingLoop(outbox: Outbox, openHints: OpenHints) {
  let claims = 0;
  const seen: string[] = [];
  const notify = call(NotifyOwner, ({ owner }) => void seen.push(owner));
  const observer = { ...NO_OBSERVER, claimed: () => void (claims += 1) };
  startLoop(outbox, { routes: { notify }, settings: HARDLY_EVER, openHints, observer });
  await expect.poll(() => wishes(outbox)).toBe(true);
  // 1, 2, 4 ... ms: after so many that found nothing it rests for longer than the test looks.
  await expect.poll(() => claims).toBeGreaterThan(CALM);
  return { seen, claims: () => claims };
}

test('F061: a resting dispatcher is told of a message when it is committed, however long that took', async () => {
  const outbox = await Outbox.forTest();
  const { seen } = await restingLoop(outbox, hearing(outbox).openHints);
  const client = await outbox.pool.connect();
  await client.query('begin');
  await enqueue(client, NotifyOwner, { owner: 'late', text: 't' });
  await outbox.enqueue(NotifyOwner, { owner: 'quick', text: 't' });
  await expect.poll(() => seen).toEqual(['quick']);
  await client.query('commit');
  client.release();
  await expect.poll(() => seen).toEqual(['quick', 'late']);
});

test('F074: a dispatcher asks half as often while hints arrive, and as often as ever once they do not', async () => {
  const outbox = await Outbox.forTest();
  const { openHints, opened } = hearing(outbox);
  const rests: number[] = [];
  const clock: Clock = {
    ...systemClock,
    sleep(ms, signal) {
      rests.push(ms);
      return systemClock.sleep(ms, signal);
    },
  };
  const polling = { busyMs: 1, idleMs: 64 };
  startLoop(outbox, { settings: { polling }, openHints: once(openHints), clock, random: () => 0 });
  await expect.poll(() => rests).toContain(127);
  rests.length = 0;
  await opened[0]?.close();
  await expect.poll(() => rests).toContain(63);
  rests.length = 0;
  await expect.poll(() => rests.filter((ms) => ms === 63).length).toBeGreaterThan(3);
  expect(rests).not.toContain(127);
});

/** Hears no more after the first connection has ended. */
function once(open: OpenHints): OpenHints {
  let isFirst = true;
  return (onHint) => {
    if (!isFirst) return Promise.reject(new Error('no more'));
    isFirst = false;
    return open(onHint);
  };
}

test('F071 F061: ten thousand messages of one transaction are one hint', async () => {
  const outbox = await Outbox.forTest();
  const { openHints } = hearing(outbox);
  let hints = 0;
  const { seen } = await restingLoop(outbox, (onHint) =>
    openHints(() => {
      hints += 1;
      onHint();
    }),
  );
  await outbox.enqueueMany(Array.from({ length: 10_000 }, (_, n) => entry(NotifyOwner, { owner: `o${n}`, text: 't' })));
  await expect.poll(() => seen.length).toBe(10_000);
  expect(hints).toBe(1);
});

test('F007: a lost connection for hints ends nothing; the next one is opened, and hints are wanted again', async () => {
  const outbox = await Outbox.forTest();
  const { openHints, opened } = hearing(outbox);
  const { seen } = await restingLoop(outbox, openHints);
  await outbox.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'hints' and datname = current_database()`,
  );
  await opened[0]?.lost;
  await expect.poll(() => opened.length).toBe(2);
  await expect.poll(() => wishes(outbox)).toBe(true);
  await outbox.enqueue(NotifyOwner, { owner: 'after', text: 't' });
  await expect.poll(() => seen).toEqual(['after']);
});

test('F072: while there is much to do, no producer is asked for hints', async () => {
  const outbox = await Outbox.forTest();
  await restingLoop(outbox, hearing(outbox).openHints);
  await outbox.enqueueMany(Array.from({ length: 500 }, (_, n) => entry(NotifyOwner, { owner: `o${n}`, text: 't' })));
  await expect.poll(() => wishes(outbox)).toBe(false);
});

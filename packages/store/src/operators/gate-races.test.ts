/** What happens while a gate looks, and between its answer and what follows. */
import { randomUUID } from 'node:crypto';
import type { ReadResult, StoredPayload } from '@waybill/contracts';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';

import { ANNA, idOf, killHeads } from '../../test/dead.ts';
import { ParcelFound, ParcelMoved, ReleasedParcelMoved, type testReaders } from '../../test/messages.ts';
import { LATER, NEW, OLD, TYPE, VERSIONS } from '../../test/releases.ts';
import { openRoom } from '../../test/room.ts';
import { type Session, untilBlocked } from '../../test/session.ts';
import { registerContracts } from '../contracts.ts';
import { outbox } from '../drivers/pg.ts';
import { leaveDispatcher, registerDispatcher } from '../statements/dispatcher-registry.ts';
import { replayDeadLetters } from '../statements/replay.ts';
import { declareReader } from './declare-reader.ts';
import { discard } from './discard.ts';
import { gateRetire, gateRollback, gateWriters } from './gates.ts';
import { replay } from './replay.ts';
import { retireVersion } from './retire.ts';
import { gateShadowRead } from './shadow-read.ts';

const room = await openRoom();
const store = room.store(room.observer);
const subject = { type: TYPE, version: 1 };
const ids = await registerContracts(store, VERSIONS, 'test');

async function run(build: string, ...reads: readonly number[]): Promise<string> {
  const id = randomUUID();
  const contractIds = reads.map((version) => ids.get(`${TYPE}@${version}`) ?? 0);
  await registerDispatcher(store, { id, build, contractIds });
  return id;
}
const writeOld = (session: Session): Promise<unknown> =>
  outbox().enqueue(session.native, ReleasedParcelMoved, { id: 'a' });
const writeNew = (session: Session): Promise<unknown> =>
  outbox().enqueue(session.native, ParcelMoved, { id: 'a', step: 1 });

let writer: Session;
let operator: Session;
/** Holds the dead letters, which a gate reads last, until it rolls back. */
let holder: Session;
beforeEach(async () => {
  [writer, operator, holder] = [await room.session(), await room.session(), await room.session()];
  await run('new', 1, 2);
});
afterEach(async () => {
  await room.clear();
  await room.query(
    'truncate waybill.reader, waybill.write_override; update waybill.contract set retired_at = null, revision = 1',
  );
});
afterAll(() => room[Symbol.asyncDispose]());

/** Runs a gate as far as its look at the records, and gives what lets it go on. */
async function halfWay<T>(ask: (session: Session) => Promise<T>): Promise<{ goOn(): Promise<T> }> {
  await holder.begin();
  await holder.query('lock table waybill.dead_letter in access exclusive mode');
  const asked = ask(operator);
  await untilBlocked(room.observer, operator, asked);
  return {
    goOn: async () => {
      await holder.rollback();
      return asked;
    },
  };
}

test('V05: a record that is written while the gate looks waits for its answer, and the retirement finds it', async () => {
  const gate = await halfWay((session) => gateRetire(room.store(session), subject));
  await writer.begin();
  const written = writeOld(writer);
  await untilBlocked(room.observer, writer, written);
  const { verdict, revision } = await gate.goOn();
  expect(verdict).toBe('safe');
  await written;
  await writer.commit();
  expect(await retireVersion(store, { ...subject, expectedRevision: revision ?? 0 }, ANNA)).toMatchObject({
    status: 'blocked',
    blockers: [{ state: 'pending', count: 1 }],
  });
});

test('V04 W34: a record that is written while the gate looks, past the declaration, is refused after its answer', async () => {
  await declareReader(store, { build: OLD.build, reads: OLD.readers, until: LATER }, ANNA);
  const gate = await halfWay((session) => gateRollback(room.store(session), OLD));
  await writer.begin();
  const written = writeNew(writer).catch((error: unknown) => error);
  await untilBlocked(room.observer, writer, written);
  expect((await gate.goOn()).verdict).toBe('safe');
  expect(await written).toMatchObject({ why: 'unreadable' });
  await writer.rollback();
});

test('V04 W34: without a declaration the gate says that more may come, and it does', async () => {
  const gate = await halfWay((session) => gateRollback(room.store(session), OLD));
  await writer.begin();
  const written = writeNew(writer);
  await untilBlocked(room.observer, writer, written);
  expect((await gate.goOn()).verdict).toBe('unknown');
  await written;
  await writer.commit();
  expect((await gateRollback(store, OLD)).verdict).toBe('unsafe');
});

test('V05: a build that comes between the gate and the retirement, and cannot read what is newer, stops the retirement', async () => {
  const { verdict, revision } = await gateRetire(store, subject);
  expect(verdict).toBe('safe');
  const old = await run('old', 1);
  const retiring = { ...subject, expectedRevision: revision ?? 0 };
  expect(await retireVersion(store, retiring, ANNA)).toMatchObject({
    status: 'blocked',
    blockers: [{ state: 'writable' }],
  });
  await leaveDispatcher(store, old);
  await run('newer', 1, 2);
  expect((await retireVersion(store, retiring, ANNA)).status).toBe('retired');
});

test('V05: a declaration between the gate and the retirement moves the revision', async () => {
  const { revision } = await gateRetire(store, subject);
  await declareReader(store, { build: 'both', reads: NEW.readers, until: LATER }, ANNA);
  expect((await retireVersion(store, { ...subject, expectedRevision: revision ?? 0 }, ANNA)).status).toBe(
    'revision-moved',
  );
});

test('W32 W33: a build that comes after gate writers holds back every write of a service that it let through', async () => {
  expect((await gateWriters(store, NEW)).verdict).toBe('safe');
  await run('old', 1);
  await writer.begin();
  await expect(writeNew(writer)).rejects.toMatchObject({ why: 'unreadable' });
  await writer.rollback();
});

test('V04: what made a rollback safe may leave: without the older build or a declaration it is not safe any more', async () => {
  const old = await run('old', 1);
  expect((await gateRollback(store, OLD)).verdict).toBe('safe');
  await leaveDispatcher(store, old);
  expect((await gateRollback(store, OLD)).verdict).toBe('unknown');
});

test('V04: a replay that is under way is seen before and after it, and so is a discard', async () => {
  await writer.begin();
  await writeNew(writer);
  await writer.commit();
  await killHeads(await room.worker());
  await declareReader(store, { build: OLD.build, reads: OLD.readers, until: LATER }, ANNA);
  const id = await idOf(room, 'a', 1);
  const replaying = await room.session();
  await replaying.begin();
  // An operator's transaction is open: the dead letter is locked, and still there for everybody else.
  await replaying.query('select from waybill.dead_letter for update');
  expect((await gateRollback(store, OLD)).blockers).toMatchObject([{ state: 'dead-letter', count: 1 }]);
  await replaying.rollback();
  await replay(store, id, ANNA);
  expect((await gateRollback(store, OLD)).blockers).toMatchObject([{ state: 'pending', count: 1 }]);
  await killHeads(await room.worker());
  await discard(store, id, ANNA);
  expect((await gateRollback(store, OLD)).verdict).toBe('safe');
});

test('V04: what is the first ever of its version, in a transaction that is open, keeps a rollback from being called safe', async () => {
  await room.query('delete from waybill.dispatcher');
  await writer.begin();
  await outbox().enqueue(writer.native, ParcelFound, { id: 'a', step: 1 });
  await declareReader(store, { build: 'old', reads: { [ParcelFound.type]: [1], ...NEW.readers }, until: LATER }, ANNA);
  const target = { build: 'old', readers: { [ParcelFound.type]: [1], ...NEW.readers }, writers: {} };
  expect((await gateRollback(store, target)).verdict).not.toBe('safe');
  await writer.commit();
  expect((await gateRollback(store, target)).verdict).toBe('unsafe');
});

test('V09: a dead letter that is brought back to life while the candidate reads makes it unable to tell', async () => {
  await writer.begin();
  await writeNew(writer);
  await writer.commit();
  await killHeads(await room.worker());
  const nothing = {
    read: ({ type, version }: StoredPayload): ReadResult => ({
      status: 'unknown-version',
      type,
      version,
      reason: 'too new',
    }),
  };
  const ask = (session: Session, readers: Pick<typeof testReaders, 'read'>): ReturnType<typeof gateShadowRead> =>
    gateShadowRead(room.store(session), { build: 'candidate', readers, limit: 'all' });
  expect((await ask(operator, nothing)).verdict).toBe('unsafe');

  // It has read the living, and stands before the dead; the replay comes in between.
  await holder.begin();
  await holder.query('lock table waybill.dead_letter in access exclusive mode');
  const asked = ask(operator, nothing);
  await untilBlocked(room.observer, operator, asked);
  const [dead] = await holder.query('select id::text as id from waybill.dead_letter');
  await replayDeadLetters(holder, store, { deadLetters: [String(dead?.['id'])], patient: true });
  await holder.query('commit');
  expect(await asked).toMatchObject({ verdict: 'unknown', read: 0, complete: false });
  expect((await ask(operator, nothing)).verdict, 'a replay that was over before is none of it').toBe('unsafe');
});

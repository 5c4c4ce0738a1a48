import { nameOf, reads } from './build.ts';
import { hold } from './fault.ts';
import { describe, isLeased, type Message } from './model/ledger.ts';
import type { StoredRecord } from './target.ts';
import type { World } from './world.ts';

/** Holds everything that the store says of its messages against the model. Runs after every step. */
export async function checkRecords(world: World): Promise<void> {
  const records = new Map((await world.target.records()).map((record) => [record.id, record]));
  for (const record of records.values())
    hold(
      world.ledger.messages.has(record.id),
      'ghost',
      () => `${nameOf(record)} ${record.id} is in the store, and nobody has committed it`,
    );
  for (const message of world.ledger.all()) {
    const record = records.get(message.id);
    hold(record !== undefined, 'lost', () => `${describe(message)} was committed and is not in the store`);
    checkContent(message, record, world);
    checkState(message, record, world);
  }
}

function checkContent(message: Message, record: StoredRecord, { builds }: World): void {
  const what = describe(message);
  hold(nameOf(record) === nameOf(message), 'changed', () => `${what} is stored as ${nameOf(record)}`);
  hold(record.recordKey === message.key, 'changed', () => `${what} is stored under the key ${record.recordKey}`);
  if (message.payload === null) {
    // Whoever wrote it can read it: a downcast that gives something else shows here.
    const readable = [...builds.values()].some(({ readers }) => readers.read(record).status === 'ok');
    hold(readable, 'changed', () => `${what} was written with a payload that no build can read`);
    message.payload = record.payload;
  }
  hold(record.payload === message.payload, 'changed', () => `the payload of ${what} has changed`);
}

const SHOWN: Readonly<Record<Message['state'], StoredRecord['state']>> = {
  live: 'pending',
  dispatched: 'dispatched',
  dead: 'dead-letter',
  discarded: 'dead-letter',
};

function checkState(message: Message, record: StoredRecord, { registry, ledger }: World): void {
  const what = describe(message);
  const state = message.state === 'live' && isLeased(message, registry.now) ? 'processing' : SHOWN[message.state];
  const died = record.state === 'dead-letter' && message.reason === null;
  hold(!died, 'dead-letter', () => `${what} is dead (${String(record.deadReason)}), and its target has not refused it`);
  hold(
    record.state === state,
    message.state === 'live' ? 'lost' : 'state',
    () => `${what} is ${record.state}, and should be ${state}`,
  );
  hold(
    record.attempt === message.attempt,
    'attempt',
    () => `${what} has ${String(record.attempt)} attempts, and should have ${String(message.attempt)}`,
  );
  if (record.deadReason !== message.reason)
    hold(
      false,
      'dead-letter',
      () => `${what} is dead of ${String(record.deadReason)}, and should be of ${String(message.reason)}`,
    );
  if (state !== 'pending') return;
  const isHeld = ledger.line(message)[0]?.state === 'dead';
  const isWaiting = !isHeld && !registry.hasReader(message);
  hold(
    (record.pendingReason === 'no-reader') === isWaiting,
    'state',
    () =>
      `${what} is shown as ${String(record.pendingReason)}, and it ${isWaiting ? 'waits for a reader' : 'has a reader'}`,
  );
  hold(
    (record.pendingReason === 'held') === isHeld,
    'state',
    () => `${what} is shown as ${String(record.pendingReason)}, and its key ${isHeld ? 'is' : 'is not'} held`,
  );
}

/** What was called safe has to stay so for as long as it was to hold. */
export function checkPromises({ ledger, registry, safeRollbacks }: World): void {
  const open = new Set(registry.openDeclarations().map(({ id }) => id));
  for (const { build, reads: readers, declaration } of safeRollbacks) {
    if (!open.has(declaration)) continue;
    // A build has no say about types that it does not know: those hang on who is deployed beside it.
    const stranded = ledger
      .carried()
      .find((message) => Object.hasOwn(readers, message.type) && !reads(readers, message));
    hold(
      stranded === undefined,
      'gate',
      () => `going back to ${build} was called safe, and ${stranded === undefined ? '' : describe(stranded)} came`,
    );
  }
  const carried = ledger.carried().find((message) => registry.retired.has(nameOf(message)));
  hold(
    carried === undefined,
    'gate',
    () => `${carried === undefined ? '' : describe(carried)} carries a version that was retired`,
  );
}

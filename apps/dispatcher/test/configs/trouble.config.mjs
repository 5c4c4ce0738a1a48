// In JavaScript: half a dozen processes start with it one after the other, and each would load a transpiler first.
import { Type } from '@sinclair/typebox';
import { defineContracts, defineMessage } from '@waybill/contracts';
import { call, defineDispatcher } from '@waybill/dispatcher';

/** As in parcels.ts, whose `NotifyOwner` the tests enqueue. */
const NotifyOwner = defineMessage({
  type: 'parcels.notify-owner',
  kind: 'provider-side-effect',
  recordKey: null,
  versions: { 1: Type.Object({ owner: Type.String(), text: Type.String() }) },
  delivery: {
    guarantee: 'at-least-once',
    boundary: 'the receiver has answered',
    duplicates: 'dropped by message id',
    retryHorizon: 'two hours, then dead letter',
    recoveryOwner: 'parcel operations',
    recordOwner: 'parcel team',
    status: 'accepted',
  },
  idempotency: { class: 'external', contract: 'the provider drops a repeated message id' },
});

/** Handlers that misbehave as the text of the message asks. */
const TROUBLE = {
  'reject-later': () => {
    void Promise.reject(new Error('forgotten promise'));
  },
  'throw-later': () => {
    setImmediate(() => {
      throw new Error('nobody catches this');
    });
  },
  'throw-and-hang': () => {
    setImmediate(() => {
      throw new Error('nobody catches this');
    });
    return new Promise(() => undefined);
  },
  die: () => {
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => undefined);
  },
  // Where the environment says so; it goes on as if nothing had been when it is woken. Elsewhere its time has not come.
  freeze: () => {
    if (process.env['TROUBLE_FREEZES'] !== 'yes') return { outcome: 'retry', class: 'not-now', afterMs: 3_600_000 };
    process.kill(process.pid, 'SIGSTOP');
    return undefined;
  },
  hang: () => new Promise(() => undefined),
};

export default defineDispatcher({
  build: 'trouble@1.0.0',
  contracts: [defineContracts({ name: '@acme/trouble', messages: [NotifyOwner], events: [] })],
  routes: [
    call(NotifyOwner, ({ text }) => {
      process.stdout.write(`${JSON.stringify({ msg: 'handling', text, pid: process.pid })}\n`);
      return TROUBLE[text]?.();
    }),
  ],
  health: { port: 0 },
  polling: { idleMs: 50 },
});

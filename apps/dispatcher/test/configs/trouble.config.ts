import { call, defineDispatcher } from '@waybill/dispatcher';
import { NotifyOwner, ParcelMoved, parcels, WeighParcel } from '../parcels.ts';

/** Handlers that misbehave as the text of the message asks. */
const TROUBLE: Readonly<Record<string, () => Promise<void> | undefined>> = {
  'reject-later': () => {
    void Promise.reject(new Error('forgotten promise'));
    return undefined;
  },
  'throw-later': () => {
    setImmediate(() => {
      throw new Error('nobody catches this');
    });
    return undefined;
  },
  'throw-and-hang': () => {
    setImmediate(() => {
      throw new Error('nobody catches this');
    });
    return new Promise<never>(() => undefined);
  },
  die: () => {
    process.kill(process.pid, 'SIGKILL');
    return new Promise<never>(() => undefined);
  },
  hang: () => new Promise<never>(() => undefined),
};

export default defineDispatcher({
  build: 'trouble@1.0.0',
  contracts: [parcels],
  routes: [
    call(NotifyOwner, ({ text }) => {
      process.stdout.write(`${JSON.stringify({ msg: 'handling', text })}\n`);
      return TROUBLE[text]?.();
    }),
    call(ParcelMoved, () => undefined),
    call(WeighParcel, () => undefined),
  ],
  health: { port: 0 },
  polling: { idleMs: 50 },
});

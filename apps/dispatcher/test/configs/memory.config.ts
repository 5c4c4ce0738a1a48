import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { call, defineDispatcher } from '@waybill/dispatcher';
import { MoveParcel, NotifyOwner, parcels, WeighParcel } from '../parcels.ts';

setFlagsFromString('--expose-gc');
// The flag gives the function to new contexts alone.
const collectGarbage = runInNewContext('gc') as () => void;

/** Handled messages between two looks. */
const EVERY = Number(process.env['MEMORY_LOOK_EVERY']);
let handled = 0;

function look(): void {
  handled += 1;
  if (handled % EVERY !== 0) return;
  collectGarbage();
  const timers = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const { heapUsed, rss } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ msg: 'memory', handled, heapUsed, rss, timers })}\n`);
}

export default defineDispatcher({
  build: 'memory@1.0.0',
  contracts: [parcels],
  routes: [
    // Every message has a key of its own, and one in a hundred fails once.
    call(MoveParcel, ({ step }, { message }) => {
      if (step % 100 === 0 && message.attempt === 1) throw new Error('once');
      look();
    }),
    call(WeighParcel, () => undefined),
    call(NotifyOwner, () => undefined),
  ],
  health: { port: 0 },
  retry: { baseMs: 1 },
});

import { call, defineDispatcher, handle, publish } from '@waybill/dispatcher';
import { file } from '@waybill/transports/file';
import { MoveParcel, NotifyOwner, parcels, WeighParcel } from '../parcels.ts';

export default defineDispatcher({
  build: 'parcels@1.0.0',
  contracts: [parcels],
  routes: [
    publish(MoveParcel, { to: file({ name: 'moves', path: process.env['MOVES_FILE'] ?? '/dev/null' }) }),
    handle(WeighParcel, async ({ parcel, grams }, { tx }) => {
      await tx.query('insert into weight (parcel, grams) values ($1, $2)', [parcel, grams]);
    }),
    call(NotifyOwner, () => undefined),
  ],
  health: { port: 0 },
  polling: { idleMs: 100 },
});

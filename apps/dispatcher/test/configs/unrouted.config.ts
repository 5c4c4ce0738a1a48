import { call, defineDispatcher } from '@waybill/dispatcher';
import { NotifyOwner, parcels } from '../parcels.ts';

export default defineDispatcher({
  build: 'unrouted@1.0.0',
  contracts: [parcels],
  routes: [call(NotifyOwner, () => undefined)],
});

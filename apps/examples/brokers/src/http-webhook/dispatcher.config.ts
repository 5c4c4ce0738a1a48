import { defineDispatcher, publish } from '@waybill/dispatcher';
import { httpWebhook } from '@waybill/transports/http-webhook';
import { OrderPlaced, shopContracts } from '../contracts.ts';

const { BROKER_URL = 'http://127.0.0.1:8080/', BROKER_PASSWORD = '' } = process.env;

export default defineDispatcher({
  build: 'shop-dispatcher@1.0.0',
  contracts: [shopContracts],
  routes: [
    publish(OrderPlaced, {
      to: httpWebhook({
        url: BROKER_URL,
        secrets: [BROKER_PASSWORD],
        allowPrivateNetwork: true, // billing of this example listens on 127.0.0.1
      }),
    }),
  ],
  health: { port: 0 },
});

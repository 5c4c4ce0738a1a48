import { defineDispatcher, publish } from '@waybill/dispatcher';
import { natsJetStream } from '@waybill/transports/nats-jetstream';
import { OrderPlaced, shopContracts } from '../contracts.ts';

const { BROKER_URL = '127.0.0.1:4222', BROKER_USER = '', BROKER_PASSWORD = '' } = process.env;

export default defineDispatcher({
  build: 'shop-dispatcher@1.0.0',
  contracts: [shopContracts],
  routes: [
    publish(OrderPlaced, {
      to: natsJetStream({
        servers: [BROKER_URL],
        stream: 'SHOP',
        credentials: { user: BROKER_USER, pass: BROKER_PASSWORD },
        // As long as a message may be under way to the stream a second time: longer than a lease and a publish.
        duplicateWindowMs: 120_000,
      }),
    }),
  ],
  health: { port: 0 },
});

import { defineDispatcher, publish } from '@waybill/dispatcher';
import { kafka } from '@waybill/transports/kafka';
import { OrderPlaced, shopContracts } from '../contracts.ts';

const { BROKER_URL = '127.0.0.1:9092', BROKER_USER, BROKER_PASSWORD = '' } = process.env;
const credentials = { mechanism: 'PLAIN', username: BROKER_USER ?? '', password: BROKER_PASSWORD } as const;

export default defineDispatcher({
  build: 'shop-dispatcher@1.0.0',
  contracts: [shopContracts],
  routes: [
    publish(OrderPlaced, {
      to: kafka({ brokers: [BROKER_URL], topic: 'shop', ...(BROKER_USER ? { credentials } : {}) }),
    }),
  ],
  health: { port: 0 },
});

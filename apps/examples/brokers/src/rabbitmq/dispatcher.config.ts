import { defineDispatcher, publish } from '@waybill/dispatcher';
import { rabbitMq } from '@waybill/transports/rabbitmq';
import { OrderPlaced, shopContracts } from '../contracts.ts';

const { BROKER_URL = 'amqp://127.0.0.1', BROKER_USER = '', BROKER_PASSWORD = '' } = process.env;

export default defineDispatcher({
  build: 'shop-dispatcher@1.0.0',
  contracts: [shopContracts],
  routes: [
    publish(OrderPlaced, {
      to: rabbitMq({
        url: BROKER_URL,
        exchange: 'shop',
        credentials: { username: BROKER_USER, password: BROKER_PASSWORD },
        queues: ['billing'], // looked at when the dispatcher starts
      }),
    }),
  ],
  health: { port: 0 },
});

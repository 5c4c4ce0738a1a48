import { defineDispatcher, publish } from '@waybill/dispatcher';
import { connectPg } from '@waybill/store/pg';
import { postgresInbox } from '@waybill/transports/postgres-inbox';
import { OrderPlaced, shopContracts } from '../contracts.ts';

/** The database of billing; its user may select from and insert into the table, and nothing else. */
const { BROKER_URL = '' } = process.env;

export default defineDispatcher({
  build: 'shop-dispatcher@1.0.0',
  contracts: [shopContracts],
  routes: [publish(OrderPlaced, { to: postgresInbox({ connect: () => connectPg({ url: BROKER_URL, max: 1 }) }) })],
  health: { port: 0 },
});

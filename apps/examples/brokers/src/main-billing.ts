// The consuming service: node dist/main-billing.js nats-jetstream|rabbitmq|redis-streams|kafka|http-webhook|postgres-inbox
import pg from 'pg';
import { openBilling } from './billing/billing.ts';
import type { Consume } from './billing/consumer.ts';

const CONSUMERS: Readonly<Record<string, () => Promise<{ readonly consume: Consume }>>> = {
  'nats-jetstream': () => import('./nats-jetstream/consume.ts'),
  rabbitmq: () => import('./rabbitmq/consume.ts'),
  'redis-streams': () => import('./redis-streams/consume.ts'),
  kafka: () => import('./kafka/consume.ts'),
  'http-webhook': () => import('./http-webhook/consume.ts'),
  'postgres-inbox': () => import('./postgres-inbox/consume.ts'),
};

const consumer = CONSUMERS[process.argv[2] ?? ''];
if (!consumer) throw new Error(`expected one of ${Object.keys(CONSUMERS).join(', ')}`);

const { BILLING_DATABASE_URL, BROKER_URL = '', BROKER_USER = '', BROKER_PASSWORD = '' } = process.env;
const pool = new pg.Pool({ connectionString: BILLING_DATABASE_URL });
// Everything that was acknowledged is committed, so there is nothing to end in good order.
process.once('SIGTERM', () => process.exit(0));

const { consume } = await consumer();
await consume({
  pool,
  billing: await openBilling(pool),
  source: { url: BROKER_URL, user: BROKER_USER, password: BROKER_PASSWORD },
  onReady: (where) => console.log(`receiving from ${where}`),
});

import { testDatabase } from '@waybill/local-postgres/vitest';
import pg from 'pg';
import { expect } from 'vitest';
import { type Environment, startBilling, startDispatcher, startShop } from './example-processes.ts';

const ORDERS = 60;
/** Some of them, so that the crash comes in the middle. */
const BEFORE_THE_CRASH = 10;
const SOON = { timeout: 120_000, interval: 50 };

/** What a broker's example needs to know; the URL may depend on the database of billing. */
export type BrokerOf = (billingUrl: string) => {
  readonly url: string;
  readonly user: string;
  readonly password: string;
};

/** Runs an example from the first order to the last invoice, with a crash of billing in the middle. */
export async function tellStory(example: string, brokerOf: BrokerOf): Promise<void> {
  await using shop = await testDatabase();
  await using billing = await testDatabase({ empty: true });
  const { url, user, password } = brokerOf(billing.url);
  const broker = { BROKER_URL: url, BROKER_USER: user, BROKER_PASSWORD: password };
  const forBilling: Environment = { ...broker, BILLING_DATABASE_URL: billing.url };

  await using first = startBilling(example, forBilling);
  await first.says(/^receiving from /);
  await using dispatcher = startDispatcher(example, { ...broker, WAYBILL_DATABASE_URL: shop.url });
  await using producer = startShop(ORDERS, { SHOP_DATABASE_URL: shop.url });
  expect(await producer.exitCode(), producer.lines.join('\n')).toBe(0);

  const client = new pg.Client({ connectionString: billing.url });
  await client.connect();
  const invoices = async (): Promise<readonly Invoice[]> =>
    (await client.query<Invoice>('select order_id, customer from invoice order by position')).rows;
  try {
    await expect.poll(async () => (await invoices()).length, SOON).toBeGreaterThan(BEFORE_THE_CRASH);
    await first.end('SIGKILL');
    await using second = startBilling(example, forBilling);
    await expect.poll(async () => new Set((await invoices()).map(({ order_id }) => order_id)).size, SOON).toBe(ORDERS);
    const written = await invoices();
    // One invoice for each order, and those of each customer in the order in which the orders were placed.
    expect(written).toHaveLength(ORDERS);
    for (const customer of new Set(written.map((invoice) => invoice.customer))) {
      const orders = written.filter((invoice) => invoice.customer === customer).map(({ order_id }) => order_id);
      expect(orders).toEqual(orders.toSorted((a, b) => a - b));
    }
    expect(second.hasEnded, second.lines.join('\n')).toBe(false);
  } finally {
    await client.end();
  }
  expect(await dispatcher.end('SIGTERM'), dispatcher.lines.join('\n')).toBe(0);
}

interface Invoice {
  readonly order_id: number;
  readonly customer: string;
}

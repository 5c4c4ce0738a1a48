import { testDatabase } from '@waybill/local-postgres/vitest';
import pg from 'pg';
import { expect, test } from 'vitest';
import { openBilling } from './billing.ts';

const ID = '0190163d-8694-739b-aea5-966c26f8ad91';
const placed = { order: 7, customer: 'ada', cents: 700 };
const delivery = { id: ID, type: 'shop.order-placed', version: 1, body: JSON.stringify(placed) };

test('W17: billing writes one invoice, however often and however close together the message comes', async () => {
  await using database = await testDatabase({ empty: true });
  const pool = new pg.Pool({ connectionString: database.url });
  const billing = await openBilling(pool);
  const seen = await Promise.all([1, 2, 3, 4].map(() => billing.receive(delivery)));
  expect(seen.sort()).toEqual(['first', 'repeat', 'repeat', 'repeat']);
  expect(await billing.receive(delivery)).toBe('repeat');
  expect((await pool.query('select order_id, customer, cents from invoice')).rows).toEqual([
    { order_id: 7, customer: 'ada', cents: 700 },
  ]);
  await pool.end();
});

test('W17: a message that this build cannot read is not entered, so that it comes again', async () => {
  await using database = await testDatabase({ empty: true });
  const pool = new pg.Pool({ connectionString: database.url });
  const billing = await openBilling(pool);
  await expect(billing.receive({ ...delivery, version: 2 })).rejects.toThrow(
    `message ${ID} cannot be read: unknown-version`,
  );
  expect(await billing.receive(delivery)).toBe('first');
  await pool.end();
});

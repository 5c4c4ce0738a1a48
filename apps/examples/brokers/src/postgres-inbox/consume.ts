import { setTimeout as rest } from 'node:timers/promises';
import { inboxMessageTable } from '@waybill/transports/postgres-inbox';
import type { Pool, PoolClient } from 'pg';
import { type Billing, inTransaction } from '../billing/billing.ts';
import type { Consume } from '../billing/consumer.ts';

// Below what a person notices. LISTEN and NOTIFY would save the polling, and cost a connection.
const POLL_MS = 200;

/** Takes messages from the table in billing's own database; effects and the place in the table are committed together. */
export const consume: Consume = async ({ billing, pool, onReady }) => {
  await makeTables(pool);
  onReady('table inbox_message');
  for (;;) {
    const found = await inTransaction(pool, (client) => receiveNext(client, billing));
    if (!found) await rest(POLL_MS);
  }
};

async function makeTables(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ there: boolean }>(
    `select to_regclass('public.inbox_message') is not null as there`,
  );
  if (rows[0]?.there !== true) await pool.query(inboxMessageTable());
  await pool.query(`
    create table if not exists billing_place (one boolean primary key default true check (one), position bigint not null);
    insert into billing_place (position) values (0) on conflict do nothing`);
}

interface InboxRow {
  readonly position: string;
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly body: string;
}

/** Gives whether there was a message. The lock on the place lets one process at a time work. */
async function receiveNext(client: PoolClient, billing: Billing): Promise<boolean> {
  const place = await client.query<{ position: string }>('select position from billing_place for update');
  const { rows } = await client.query<InboxRow>(
    'select position, id, type, version, body::text from inbox_message where position > $1 order by position limit 1',
    [place.rows[0]?.position],
  );
  const [message] = rows;
  if (!message) return false;
  await billing.receiveIn(client, message);
  await client.query('update billing_place set position = $1', [message.position]);
  return true;
}

/** What the driver suite needs of a store. */
import { testDatabase } from '@waybill/local-postgres/vitest';
import type { DriverTarget, DriverUnderTest, StoredMessage } from '@waybill/testkit';
import pg from 'pg';
import { pgDatabase } from '../src/drivers/pg.ts';
import { quoteIdentifier } from '../src/identifier.ts';
import { migrate } from '../src/migrate.ts';
import { openStore } from '../src/store.ts';
import { NoteTaken, ParcelMoved } from './messages.ts';

/** A driver that is connected, and how it is closed. */
export interface ConnectedDriver<Tx> {
  readonly driver: DriverUnderTest<Tx>;
  close(): Promise<unknown>;
}

// Quotes, and what query builders take for placeholders.
const OTHER_SCHEMA = 'o"ther-? :name $1';

/** Starts a target whose driver `connect` connects. */
export async function startDriverTarget<Tx>(
  connect: (url: string) => ConnectedDriver<Tx> | Promise<ConnectedDriver<Tx>>,
): Promise<DriverTarget<Tx>> {
  const database = await testDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  await migrate(openStore(pgDatabase(pool), { schema: OTHER_SCHEMA }));
  const connected = await connect(database.url);

  return {
    driver: connected.driver,
    otherSchema: OTHER_SCHEMA,
    note: NoteTaken,
    step: ParcelMoved,
    query: async (statement) => (await pool.query<Record<string, unknown>>(statement)).rows,
    stored: async (schema = 'waybill') => {
      const { rows } = await pool.query<StoredMessage>(
        `select m.id::text, m.record_key as "recordKey", m.tenant, m.occurred_at as "occurredAt", d.not_before as "dueAt",
           m.headers::text, m.payload::text
         from ${quoteIdentifier(schema)}.message m left join ${quoteIdentifier(schema)}.delivery d on d.seq = m.seq order by m.seq`,
      );
      return rows;
    },
    forget: async () => {
      await pool.query('delete from waybill.message; delete from waybill.delivery');
    },
    stop: async () => {
      await connected.close();
      await pool.end();
      await database[Symbol.asyncDispose]();
    },
  };
}

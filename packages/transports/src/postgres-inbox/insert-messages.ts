import type { OutgoingMessage } from '../transport.ts';
import { tableName } from './inbox-message-table.ts';
import type { InboxDatabase } from './options.ts';

/**
 * Inserts messages in one statement, in the order given, and resolves to the ids that were not there yet. The lock lets one writer
 * in at a time, so that positions are committed in their order.
 */
export async function insertMessages(
  database: InboxDatabase,
  schema: string,
  messages: readonly OutgoingMessage[],
): Promise<ReadonlySet<unknown>> {
  const table = tableName(schema);
  const rows = await database.query(
    `with turn as materialized (select pg_advisory_xact_lock(hashtextextended($1, 0)))
     insert into ${table} (id, type, version, kind, occurred_at, tenant, record_key, event, headers, body)
     select m.id, m.type, m.version, m.kind, m.occurred_at, m.tenant, m.record_key, m.event, m.headers, m.body
     from turn, unnest($2::uuid[], $3::text[], $4::int[], $5::text[], $6::timestamptz[], $7::text[], $8::text[], $9::text[],
                       $10::json[], $11::json[])
       with ordinality as m (id, type, version, kind, occurred_at, tenant, record_key, event, headers, body, nth)
     order by m.nth
     on conflict (id) do nothing
     returning id`,
    [
      table,
      messages.map(({ id }) => id),
      messages.map(({ type }) => type),
      messages.map(({ version }) => version),
      messages.map(({ kind }) => kind),
      messages.map(({ occurredAt }) => occurredAt.toISOString()),
      messages.map(({ tenant }) => tenant),
      messages.map(({ recordKey }) => recordKey),
      messages.map(({ event }) => event),
      messages.map(({ headers }) => JSON.stringify(headers)),
      messages.map(({ body }) => body),
    ],
  );
  return new Set(rows.map(({ id }) => id));
}

/** The table that messages are delivered into, as SQL for a migration of the receiving service. */
export function inboxMessageTable(schema = 'public'): string {
  return `
create table ${tableName(schema)} (
  -- The order in which messages were committed, so that a reader may go on behind the last one that it has seen.
  position bigint generated always as identity primary key,
  id uuid not null unique,
  type text not null,
  version integer not null,
  kind text not null,
  occurred_at timestamptz not null,
  tenant text,
  record_key text not null,
  event text,
  -- json and not jsonb: the text stays as it was written.
  headers json not null,
  body json not null,
  received_at timestamptz not null default clock_timestamp()
)`;
}

/** The table's name, quoted. */
export function tableName(schema: string): string {
  return `"${schema.replaceAll('"', '""')}".inbox_message`;
}

export { inboxMessageTable } from './inbox-message-table.ts';
export type { InboxDatabase, InboxValue, PostgresInboxOptions } from './options.ts';
export { postgresInbox } from './postgres-inbox.ts';

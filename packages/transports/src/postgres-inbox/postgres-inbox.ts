import { type BatchPort, batchTransport } from '../batch-transport.ts';
import type { UnitResult } from '../gathering-sender.ts';
import { checkOptions } from '../option-check.ts';
import type { OutgoingMessage, Transport } from '../transport.ts';
import { classifyConnectFailure, classifyInsertFailure } from './classify-failure.ts';
import { tableName } from './inbox-message-table.ts';
import { insertMessages } from './insert-messages.ts';
import type { InboxDatabase, PostgresInboxOptions } from './options.ts';

const KNOWN = [
  'name',
  'connect',
  'schema',
  'maxBatch',
  'maxBytes',
  'now',
] satisfies readonly (keyof PostgresInboxOptions)[];

/**
 * Inserts messages into the table `inbox_message` of another PostgreSQL database, each id once.
 *
 * @throws TransportError `TRN_OPTIONS_INVALID` naming every problem of the options.
 */
export function postgresInbox(options: PostgresInboxOptions): Transport {
  const { connect, schema = 'public', now = () => performance.now() } = options;
  const check = checkOptions('postgres-inbox', options, KNOWN);
  const name = check.name(options.name, 'postgres-inbox');
  check.expect(typeof connect === 'function', 'connect', 'a function that opens a database', typeof connect);
  check.expect(typeof schema === 'string' && schema !== '', 'schema', 'the name of a schema', schema);
  const maxBatch = check.integer('maxBatch', options.maxBatch, { min: 1, max: 10_000, fallback: 500 });
  const maxBytes = check.integer('maxBytes', options.maxBytes, { min: 1, max: 256 * 2 ** 20, fallback: 8 * 2 ** 20 });
  check.done();
  return batchTransport(
    {
      name,
      capabilities: {
        dedup: 'window',
        dedupWindowMs: null, // as long as the receiver keeps the row
        ordering: 'record-key',
        maxBatch,
        partialResults: false,
        maxBytes,
      },
      now,
    },
    inboxPort(connect, schema),
  );
}

function inboxPort(connect: () => InboxDatabase, schema: string): BatchPort<InboxDatabase> {
  return {
    async connect() {
      const database = connect();
      try {
        await database.query(`select from ${tableName(schema)} limit 0`);
      } catch (error) {
        await closeSoon(database);
        throw error;
      }
      return database;
    },
    lost: () => new Promise(() => undefined), // a pool replaces its connections
    end: closeSoon,
    connectFailure: classifyConnectFailure,
    inspect: async () => [],
    async sendUnit(database, messages) {
      try {
        return outcomesOf(messages, await insertMessages(database, schema, messages));
      } catch (error) {
        return classifyInsertFailure(error, messages.length);
      }
    },
  };
}

function outcomesOf(messages: readonly OutgoingMessage[], inserted: ReadonlySet<unknown>): UnitResult {
  return messages.map(({ id }) => ({ outcome: 'accepted', receipt: null, duplicate: !inserted.has(id) }));
}

// A pool waits for statements under way, and one on a connection that hangs would be waited for in vain.
const CLOSE_MS = 1_000;

async function closeSoon(database: InboxDatabase): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS);
  });
  // Nothing is under way any more; a connection that cannot be ended in good order is left to the server.
  await Promise.race([database.close().catch(() => undefined), late]);
  clearTimeout(timer);
}

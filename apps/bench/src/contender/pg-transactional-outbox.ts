import pg, { type ClientBase } from 'pg';
import {
  DatabaseSetup,
  getDisabledLogger,
  initializeMessageStorage,
  initializePollingMessageListener,
  type PollingListenerConfig,
  type TransactionalMessage,
} from 'pg-transactional-outbox';
import type { Sample } from '../load/sample.ts';
import { CONCURRENCY, type Contender } from './contender.ts';

const place = { outboxOrInbox: 'outbox', schema: 'public', table: 'outbox' } as const;
const NEXT_MESSAGES = 'next_outbox_messages';
const logger = getDisabledLogger();

export const pgTransactionalOutbox: Contender = {
  async setUp(url) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const config = { ...place, database: 'unused', listenerRole: 'postgres', nextMessagesName: NEXT_MESSAGES };
    await client.query(DatabaseSetup.dropAndCreateTable(config));
    await client.query(DatabaseSetup.createPollingFunction(config));
    await client.query(DatabaseSetup.setupPollingIndexes(config));
    await client.end();
  },
  openProducer: (url) => {
    const store = initializeMessageStorage(configOf(url), logger);
    return Promise.resolve({
      enqueue: (client, sample) => store(messageOf(sample), client),
      fill,
      close: () => Promise.resolve(),
    });
  },
  async consume(url, handle) {
    const [stop] = initializePollingMessageListener(
      configOf(url),
      // A sample is what the producer has put in.
      { handle: ({ payload }) => handle(payload as Sample) },
      logger,
    );
    return { stop };
  },
};

function configOf(url: string): PollingListenerConfig {
  const connection = { connectionString: url, max: CONCURRENCY + 2 };
  return {
    outboxOrInbox: 'outbox',
    dbListenerConfig: connection,
    dbHandlerConfig: connection,
    settings: {
      dbSchema: place.schema,
      dbTable: place.table,
      nextMessagesFunctionName: NEXT_MESSAGES,
      nextMessagesBatchSize: 50,
      nextMessagesPollingIntervalInMs: 10,
      // Its documentation leaves both off for an outbox.
      enableMaxAttemptsProtection: false,
      enablePoisonousMessageProtection: false,
    },
  };
}

function messageOf(sample: Sample): TransactionalMessage {
  return {
    // A uuid of the sample's own: the run number in the last group.
    id: `00000000-0000-4000-8000-${sample.n.toString(16).padStart(12, '0')}`,
    aggregateType: 'order',
    aggregateId: sample.key,
    messageType: 'order-placed',
    ...(sample.key === '' ? { concurrency: 'parallel' } : { concurrency: 'sequential', segment: sample.key }),
    payload: sample,
    metadata: {},
  };
}

async function fill(client: ClientBase, samples: readonly Sample[]): Promise<void> {
  await client.query(
    `insert into outbox (id, aggregate_type, aggregate_id, message_type, segment, concurrency, payload, metadata)
     select (m->>'id')::uuid, m->>'aggregateType', m->>'aggregateId', m->>'messageType', m->>'segment', m->>'concurrency', m->'payload', '{}'
     from jsonb_array_elements($1::jsonb) with ordinality e (m, n) order by n`,
    [JSON.stringify(samples.map(messageOf))],
  );
}

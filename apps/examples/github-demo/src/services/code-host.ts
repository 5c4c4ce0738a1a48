import { enqueueMany } from '@waybill/store/postgres';
import type { PushWebhook, ReleaseWebhook } from '@waybill-examples/github-contracts';
import postgres from 'postgres';
import type { Arrival } from '../input/traffic.ts';
import type { Webhook } from '../input/webhooks.ts';
import { pushMessages, releaseMessages } from './outgoing.ts';
import type { ContractRelease, Handled, Service } from './service.ts';
import { onlyRevision, type Stored } from './stored.ts';

type Transaction = postgres.TransactionSql;

/** Thrown to roll a transaction back on purpose: with `postgres`, that is how one changes one's mind. */
class ChangedMind extends Error {
  readonly code = 'DEMO_CHANGED_MIND';
  readonly messages: Handled['messages'];

  constructor(messages: Handled['messages']) {
    super('the transaction is rolled back on purpose');
    this.messages = messages;
  }
}

/** The code host, written on `postgres`. */
export function openCodeHost(url: string, connections: number): Service {
  const sql = postgres(url, {
    max: connections,
    connection: { application_name: 'code-host' },
    onnotice: () => undefined,
  });
  return {
    name: 'code-host',
    handle: (arrival, release) => handle(sql, arrival, release),
    close: () => sql.end(),
  };
}

async function handle(sql: postgres.Sql, { webhook, rollsBack }: Arrival, release: ContractRelease): Promise<Handled> {
  try {
    const messages = await sql.begin(async (tx) => {
      const sent = await send(tx, await store(tx, webhook, release));
      if (rollsBack) throw new ChangedMind(sent);
      return sent;
    });
    return { outcome: 'committed', messages };
  } catch (error) {
    if (error instanceof ChangedMind) return { outcome: 'rolled-back', messages: error.messages };
    throw error;
  }
}

async function store(tx: Transaction, webhook: Webhook, release: ContractRelease): Promise<Stored> {
  if (webhook.event === 'push') return storePush(tx, webhook.body, release);
  if (webhook.event === 'release') return storeRelease(tx, webhook.body, release);
  throw new TypeError(`the code host does not handle ${webhook.event}`);
}

async function storePush(tx: Transaction, webhook: PushWebhook, release: ContractRelease): Promise<Stored> {
  const { id, full_name } = webhook.repository;
  const rows = await tx<{ revision: number }[]>`
    insert into code_host.repository as stored (id, name, last_ref, revision) values (${id}, ${full_name}, ${webhook.ref}, 1)
    on conflict (id) do update set name = excluded.name, last_ref = excluded.last_ref, revision = stored.revision + 1
    returning revision`;
  return { recordKey: `Repository/${id}`, revision: onlyRevision(rows), messages: pushMessages[release](webhook) };
}

async function storeRelease(tx: Transaction, webhook: ReleaseWebhook, release: ContractRelease): Promise<Stored> {
  const { id, tag_name } = webhook.release;
  const rows = await tx<{ revision: number }[]>`
    insert into code_host.release as stored (id, tag, last_action, revision) values (${id}, ${tag_name}, ${webhook.action}, 1)
    on conflict (id) do update set tag = excluded.tag, last_action = excluded.last_action, revision = stored.revision + 1
    returning revision`;
  return { recordKey: `Release/${id}`, revision: onlyRevision(rows), messages: releaseMessages[release](webhook) };
}

/** Enqueues the messages and notes them down beside the business rows, for the comparison at the end. */
async function send(tx: Transaction, { recordKey, revision, messages }: Stored): Promise<Handled['messages']> {
  const sent = await enqueueMany(tx, messages);
  for (const [step, { id, version }] of sent.entries()) {
    await tx`insert into code_host.sent (message_id, record_key, revision, step, version)
      values (${id}, ${recordKey}, ${revision}, ${step}, ${version})`;
  }
  return sent;
}

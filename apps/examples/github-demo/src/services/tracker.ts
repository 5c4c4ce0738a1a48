import { enqueueMany } from '@waybill/store/pg';
import type { IssuesWebhook, PullRequestWebhook } from '@waybill-examples/github-contracts';
import pg from 'pg';
import type { Arrival } from '../input/traffic.ts';
import type { Webhook } from '../input/webhooks.ts';
import { issueMessages, pullRequestMessages } from './outgoing.ts';
import type { ContractRelease, Handled, Service } from './service.ts';
import { onlyRevision, type Stored } from './stored.ts';

/** The issue tracker, written on `pg`. */
export function openTracker(url: string, connections: number): Service {
  const pool = new pg.Pool({ connectionString: url, max: connections, application_name: 'tracker' });
  // An idle connection that breaks is replaced by the pool; the next query that needs one reports the cause.
  pool.on('error', () => undefined);
  // So is one that breaks between two statements of a transaction: the next statement reports the cause.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    name: 'tracker',
    handle: (arrival, release) => handle(pool, arrival, release),
    close: () => pool.end(),
  };
}

async function handle(pool: pg.Pool, { webhook, rollsBack }: Arrival, release: ContractRelease): Promise<Handled> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const stored = await store(client, webhook, release);
    const messages = await send(client, stored);
    await client.query(rollsBack ? 'rollback' : 'commit');
    client.release();
    return { outcome: rollsBack ? 'rolled-back' : 'committed', messages };
  } catch (error) {
    // The connection is in an unknown state: it is closed, which also ends its transaction.
    client.release(true);
    throw error;
  }
}

async function store(client: pg.PoolClient, webhook: Webhook, release: ContractRelease): Promise<Stored> {
  if (webhook.event === 'issues') return storeIssue(client, webhook.body, release);
  if (webhook.event === 'pull_request') return storePullRequest(client, webhook.body, release);
  throw new TypeError(`the tracker does not handle ${webhook.event}`);
}

async function storeIssue(client: pg.PoolClient, webhook: IssuesWebhook, release: ContractRelease): Promise<Stored> {
  const { id, title, state } = webhook.issue;
  const result = await client.query<{ revision: number }>(
    /* sql */ `
    insert into tracker.issue as stored (id, title, state, revision) values ($1, $2, $3, 1)
    on conflict (id) do update
      set title = excluded.title, state = coalesce(excluded.state, stored.state), revision = stored.revision + 1
    returning revision`,
    [id, title, state],
  );
  return { recordKey: `Issue/${id}`, revision: onlyRevision(result.rows), messages: issueMessages[release](webhook) };
}

async function storePullRequest(
  client: pg.PoolClient,
  webhook: PullRequestWebhook,
  release: ContractRelease,
): Promise<Stored> {
  const { id, title, state } = webhook.pull_request;
  const result = await client.query<{ revision: number }>(
    /* sql */ `
    insert into tracker.pull_request as stored (id, title, state, revision) values ($1, $2, $3, 1)
    on conflict (id) do update set title = excluded.title, state = excluded.state, revision = stored.revision + 1
    returning revision`,
    [id, title, state],
  );
  return {
    recordKey: `PullRequest/${id}`,
    revision: onlyRevision(result.rows),
    messages: pullRequestMessages[release](webhook),
  };
}

/** Enqueues the messages and notes them down beside the business rows, for the comparison at the end. */
async function send(client: pg.PoolClient, { recordKey, revision, messages }: Stored): Promise<Handled['messages']> {
  const sent = await enqueueMany(client, messages);
  for (const [step, { id, version }] of sent.entries()) {
    await client.query(
      'insert into tracker.sent (message_id, record_key, revision, step, version) values ($1, $2, $3, $4, $5)',
      [id, recordKey, revision, step, version],
    );
  }
  return sent;
}

import { randomUUID } from 'node:crypto';
import { testDatabase } from '@waybill/local-postgres/vitest';
import { createClaimer, openStore, registerContracts, registerDispatcher, type Store } from '@waybill/store';
import { enqueue, pgDatabase } from '@waybill/store/pg';
import { githubContracts, IssueChanged, issueChanged } from '@waybill-examples/github-contracts';
import * as release1 from '@waybill-examples/github-contracts/release-1';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { realWebhooks } from '../input/webhooks.ts';
import { installObserver, type Observer } from './waybill-tables.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
let pool: pg.Pool;
let store: Store;
let observer: Observer;

beforeAll(async () => {
  database = await testDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  store = openStore(pgDatabase(pool));
  observer = await installObserver(pool);
  await pool.query(
    `insert into waybill.write_override (type, version, actor, reason, until) values ($1, 2, 'test', 'what nobody reads', now() + interval '1 hour')`,
    [IssueChanged.type],
  );
});

afterAll(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});

const webhook = realWebhooks().find(({ event }) => event === 'issues');
if (webhook?.event !== 'issues') throw new TypeError('the examples have issues');
const issue = webhook.body;

/** Three messages of one key: version 1, version 2, version 1. */
async function enqueueThree(): Promise<void> {
  const client = await pool.connect();
  await client.query('begin');
  await enqueue(client, release1.IssueChanged, release1.issueChanged(issue));
  // Some dispatchers of these tests do not read it, which is what they are about.
  await enqueue(client, IssueChanged, issueChanged(issue), { whenUnreadable: 'write-anyway' });
  await enqueue(client, release1.IssueChanged, release1.issueChanged(issue));
  await client.query('commit');
  client.release();
}

test('V01: a claim of what the claimer cannot read is found, followers of the run included, and an honest one is not', async () => {
  const contracts = await registerContracts(
    store,
    [1, 2].map((version) => ({ type: IssueChanged.type, version, kind: IssueChanged.kind })),
    githubContracts.name,
  );
  const readsOne = [...contracts].filter(([name]) => name.endsWith('@1'));
  const claimWith = async (capabilities: readonly (typeof readsOne)[number][]): Promise<number> => {
    const owner = randomUUID();
    await registerDispatcher(store, { id: owner, build: 'test', contractIds: readsOne.map(([, id]) => id) });
    const claimer = createClaimer(store, {
      owner,
      contracts: new Map(capabilities),
      leaseMs: 1_000,
      now: () => performance.now(),
    });
    const { runs } = await claimer.claim({ limit: 10, runLength: 10, timed: true });
    const leased = await observer.leasedBy(owner);
    await pool.query('truncate waybill.message, waybill.delivery');
    return runs.length === 0 ? 0 : leased;
  };

  await enqueueThree();
  expect(await claimWith(readsOne)).toBe(1);
  expect(await observer.claims()).toEqual({ total: 1, unreadable: 0 });

  // A claimer that asks for more than it has registered: exactly what must never happen.
  await enqueueThree();
  expect(await claimWith([...contracts])).toBe(3);
  expect(await observer.claims()).toEqual({ total: 4, unreadable: 1 });
});

test('V01: what no live dispatcher reads is told apart from the rest of the backlog', async () => {
  await enqueueThree();
  expect(await observer.waitingForReader()).toHaveLength(1);
  expect(await observer.backlog()).toContainEqual({ version: 2, records: 1 });
});

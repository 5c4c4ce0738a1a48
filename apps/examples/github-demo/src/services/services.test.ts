import { testDatabase } from '@waybill/local-postgres/vitest';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BUSINESS_TABLES } from '../database/business-tables.ts';
import { seededRandom } from '../input/random.ts';
import { type Arrival, planTraffic } from '../input/traffic.ts';
import { realWebhooks } from '../input/webhooks.ts';
import { openCodeHost } from './code-host.ts';
import type { Service } from './service.ts';
import { openTracker } from './tracker.ts';
import { write } from './writers.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
let pool: pg.Pool;
let tracker: Service;
let codeHost: Service;

beforeAll(async () => {
  database = await testDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 2 }).on('error', () => undefined);
  await pool.query(BUSINESS_TABLES);
  tracker = openTracker(database.url, 4);
  codeHost = openCodeHost(database.url, 4);
});

afterAll(async () => {
  await Promise.all([tracker.close(), codeHost.close(), pool.end()]);
  await database[Symbol.asyncDispose]();
});

beforeEach(async () => {
  await pool.query(
    'truncate tracker.sent, tracker.issue, tracker.pull_request, code_host.sent, code_host.repository, code_host.release',
  );
  await pool.query('truncate waybill.message, waybill.delivery');
});

const traffic = planTraffic(realWebhooks(), 2, seededRandom(7));
const signal = new AbortController().signal;

/** What the services noted down, beside what the outbox holds. */
async function comparison(): Promise<readonly { readonly sent: string | null; readonly stored: string | null }[]> {
  const { rows } = await pool.query<{ sent: string | null; stored: string | null }>(`
    select sent.message_id as sent, record.id as stored
    from (select * from tracker.sent union all select * from code_host.sent) sent
    full join waybill.record on record.id = sent.message_id
      and record.record_key = sent.record_key and record.schema_version = sent.version`);
  return rows;
}

function anArrival(event: Arrival['webhook']['event'], rollsBack: boolean): Arrival {
  const arrival = traffic.find(({ webhook }) => webhook.event === event);
  if (arrival === undefined) throw new TypeError(`no ${event} in the traffic`);
  return { ...arrival, rollsBack };
}

describe.each([
  ['the tracker, on pg', 'issues', () => tracker, 'tracker.issue'],
  ['the code host, on postgres', 'push', () => codeHost, 'code_host.repository'],
] as const)('%s', (_name, event, service, table) => {
  const counts = async (): Promise<unknown> => {
    const { rows } = await pool.query(
      `select (select count(*)::integer from ${table}) as entities, (select count(*)::integer from waybill.record) as messages`,
    );
    return rows[0];
  };

  test('W04: a committed transaction leaves its business row and its message', async () => {
    expect(await service().handle(anArrival(event, false), 2)).toMatchObject({
      outcome: 'committed',
      messages: [{ version: 2 }],
    });
    expect(await counts()).toEqual({ entities: 1, messages: 1 });
  });

  test('W04: a rolled-back transaction leaves neither', async () => {
    expect(await service().handle(anArrival(event, true), 1)).toMatchObject({
      outcome: 'rolled-back',
      messages: [{ version: 1 }],
    });
    expect(await counts()).toEqual({ entities: 0, messages: 0 });
  });
});

test('I01: with many writers at once, the outbox holds exactly what the services committed, under the same keys', async () => {
  const outcomes: string[] = [];
  await write({ tracker, codeHost }, traffic, {
    concurrency: 4,
    releaseOf: ({ rollsBack }) => (rollsBack ? 1 : 2),
    onHandled: ({ outcome }) => outcomes.push(outcome),
    signal,
  });
  expect(outcomes).toHaveLength(traffic.length);
  expect(outcomes).toContain('rolled-back');
  const rows = await comparison();
  expect(rows.length).toBeGreaterThan(200);
  expect(rows.filter(({ sent, stored }) => sent === null || stored === null)).toEqual([]);
});

test('I03: the revisions of an entity follow the order of its messages, however many writers it has', async () => {
  await write({ tracker, codeHost }, traffic, {
    concurrency: 4,
    releaseOf: () => 1,
    onHandled: () => undefined,
    signal,
  });
  const { rows } = await pool.query(`
    select sent.record_key from (select * from tracker.sent union all select * from code_host.sent) sent
    join waybill.message on message.id = sent.message_id
    group by sent.record_key
    having array_agg(sent.message_id order by sent.revision, sent.step) <> array_agg(sent.message_id order by message.seq)`);
  expect(rows).toEqual([]);
});

test('I03: a service that loses its connection between two statements reports it and lives on', async () => {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c idle_in_transaction_session_timeout=10');
  const cut = openTracker(url.href, 4);
  const [arrival] = traffic.filter(({ webhook }) => webhook.event === 'issues');
  if (arrival === undefined) throw new TypeError('the traffic holds issues');
  const ended = new AbortController();
  const handling = cut.handle(arrival, 2).finally(() => {
    ended.abort();
  });
  // A busy event loop finds the answer to a statement and the end of the session in one read, when no statement is under way.
  const busy = new Int32Array(new SharedArrayBuffer(4));
  const staying = (async () => {
    while (!ended.signal.aborted) {
      Atomics.wait(busy, 0, 0, 50);
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  const [handled] = await Promise.allSettled([handling, staying]);
  expect(handled.status).toBe('rejected');
  await cut.close();
});

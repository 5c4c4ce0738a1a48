import { testDatabase } from '@waybill/local-postgres/vitest';
import { connectPg } from '@waybill/store/pg';
import { startTcpProxy, type TransportTarget, testMessage, transportSuite } from '@waybill/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Transport } from '../transport.ts';
import { inboxMessageTable } from './inbox-message-table.ts';
import { postgresInbox } from './postgres-inbox.ts';

const OPEN_CONTEXT = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };

function open(url: string): Transport {
  return postgresInbox({ connect: () => connectPg({ url, max: 1 }) });
}

async function startTarget(): Promise<TransportTarget> {
  const database = await testDatabase({ empty: true });
  const observer = connectPg({ url: database.url });
  await observer.query(inboxMessageTable());
  const line = await startTcpProxy(Number(new URL(database.url).port));
  const url = new URL(database.url);
  url.hostname = '127.0.0.1';
  url.port = String(line.port);
  const stranger = new URL(url);
  stranger.username = 'nobody_of_that_name';
  const lineFault = (mode: 'slow' | 'down' | 'cut-request' | 'cut-answer' | 'hold-answer' | 'hang') => async () => {
    await line.become(mode);
    return () => line.become('pass');
  };
  return {
    open: async () => open(url.href),
    openUnauthorized: async () => open(stranger.href),
    runsGoAsOne: true,
    held: async () => {
      const rows = await observer.query('select id::text, body::text from inbox_message order by position');
      return rows.map(({ id, body }) => ({ id: String(id), body: String(body) }));
    },
    forget: async () => {
      await observer.query('truncate inbox_message');
    },
    slow: lineFault('slow'),
    faults: {
      down: lineFault('down'),
      'request-cut': lineFault('cut-request'),
      'answer-cut': lineFault('cut-answer'),
      'answer-held': lineFault('hold-answer'),
      hangs: lineFault('hang'),
      refuses: async () => {
        await observer.query("alter table inbox_message add constraint never check (type = 'x') not valid");
        return async () => {
          await observer.query('alter table inbox_message drop constraint if exists never');
        };
      },
    },
    stop: async () => {
      await line.stop();
      await observer.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

transportSuite({ describe, test, beforeAll, afterAll }, 'postgres-inbox', startTarget, {
  leakMessages: Number(process.env['WAYBILL_SUITE_MESSAGES'] ?? 500),
});

test('T01: of a batch only the message that the table refuses is refused, and repeats are told', async () => {
  await using database = await testDatabase({ empty: true });
  const observer = connectPg({ url: database.url });
  await observer.query(inboxMessageTable());
  await observer.query("alter table inbox_message add check (tenant is distinct from 'wrong')");
  const transport = open(database.url);
  const [first, wrong, other] = [
    testMessage({ recordKey: 'a/1' }),
    testMessage({ recordKey: 'a/1', tenant: 'wrong' }),
    testMessage(),
  ] as const;
  const behind = testMessage({ recordKey: 'a/1' });
  const outcomes = await transport.publish([first, wrong, behind, other, { ...other, attempt: 2 }], OPEN_CONTEXT);
  expect(outcomes).toMatchObject([
    { outcome: 'accepted' },
    { outcome: 'refused', class: 'refused-by-table', detail: '23514' },
    { outcome: 'retry', class: 'not-sent' },
    { outcome: 'accepted', duplicate: false },
    { outcome: 'accepted', duplicate: true },
  ]);
  await transport.close();
  await observer.close();
});

test('T01: a table that is not there is a retry, and the probe says so', async () => {
  await using database = await testDatabase({ empty: true });
  const transport = open(database.url);
  expect(await transport.publish([testMessage()], OPEN_CONTEXT)).toMatchObject([
    { outcome: 'retry', class: 'no-table' },
  ]);
  expect(await transport.probe(OPEN_CONTEXT.signal)).toMatchObject({ status: 'unreachable', class: 'no-table' });
  await transport.close();
});

test('T03: options are checked as a whole', () => {
  const connect = () => connectPg({ url: 'postgres://nowhere' });
  expect(() => postgresInbox({ connect, schema: '', maxBatch: 0 })).toThrow(
    "postgres-inbox: schema: expected the name of a schema, got ''; postgres-inbox: maxBatch: expected an integer from 1 to 10000, got 0",
  );
});

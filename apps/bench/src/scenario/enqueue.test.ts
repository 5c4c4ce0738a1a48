import { createDatabase, dropDatabase } from '@waybill/local-postgres';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { PATIENCE_MS, runTiny, tinyBench } from '../../test/tiny-bench.ts';
import { waybill } from '../contender/waybill.ts';
import { sampleOf } from '../load/sample.ts';

test(
  'P01: enqueueing is measured inside business transactions, beside peers and a bare insert, on 1 and 16 connections',
  async () => {
    const { measures, faults } = await runTiny('enqueue');
    expect(faults).toEqual([]);
    expect(measures.map(({ label }) => label)).toEqual([
      '1 connection, beside graphile-worker',
      '1 connection, beside pg-boss',
      '1 connection, beside bare',
      '16 connections, beside graphile-worker',
      '16 connections, beside pg-boss',
      '16 connections, beside bare',
    ]);
    for (const { value, peers } of measures) {
      expect(value).toBeGreaterThan(0);
      expect(Object.keys(peers)).toEqual(['bare', 'graphile-worker', 'pg-boss', 'pg-transactional-outbox', 'naive']);
    }
  },
  PATIENCE_MS,
);

test(
  'P01: a message costs its transaction one statement',
  async () => {
    const url = await createDatabase(tinyBench().server.url);
    await waybill.setUp(url);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const producer = await waybill.openProducer(url);
    await client.query('begin');
    const query = vi.spyOn(client, 'query');
    await producer.enqueue(client, sampleOf({ n: 1, key: 'Order/1', step: 0 }, 300));
    expect(query).toHaveBeenCalledTimes(1);
    await client.query('commit');
    await client.end();
    await dropDatabase(url);
  },
  PATIENCE_MS,
);

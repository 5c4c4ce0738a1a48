import { startRedisServer, withProgram } from '@waybill/local-servers';
import { startTcpProxy, type TransportTarget, testMessage, transportSuite } from '@waybill/testkit';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Transport } from '../transport.ts';
import type { RedisStreamsOptions } from './options.ts';
import { redisStreams } from './redis-streams.ts';

const STREAM = 'orders';
const CREDENTIALS = { username: 'waybill', password: 'right' };
const OPEN_CONTEXT = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };

/** A private server with one user, and a connection of the test's own to it. */
async function startRedis(program: string) {
  const server = await startRedisServer(program);
  const { port } = server;
  const observer = createClient({ url: `redis://127.0.0.1:${port}` });
  observer.on('error', () => undefined);
  await observer.connect();
  const acl = (...rules: readonly string[]) => observer.sendCommand(['ACL', 'SETUSER', CREDENTIALS.username, ...rules]);
  await acl('on', `>${CREDENTIALS.password}`, '~*', '+@all');
  return {
    port,
    observer,
    acl,
    async stop() {
      observer.destroy();
      await server.stop();
    },
  };
}

function open(port: number, options: Partial<RedisStreamsOptions> = {}): Transport {
  return redisStreams({
    url: `redis://127.0.0.1:${port}`,
    stream: STREAM,
    trim: 'never',
    credentials: CREDENTIALS,
    ...options,
  });
}

async function startTarget(program: string, options: Partial<RedisStreamsOptions>): Promise<TransportTarget> {
  const redis = await startRedis(program);
  const line = await startTcpProxy(redis.port);
  const lineFault = (mode: 'slow' | 'down' | 'cut-request' | 'cut-answer' | 'hold-answer' | 'hang') => async () => {
    await line.become(mode);
    return () => line.become('pass');
  };
  return {
    open: async () => open(line.port, options),
    openUnauthorized: async () => open(line.port, { ...options, credentials: { ...CREDENTIALS, password: 'wrong' } }),
    held: async () => {
      const entries = await redis.observer.xRange(STREAM, '-', '+');
      return (entries ?? []).map(({ message }) => ({ id: message['id'] ?? '', body: message['body'] ?? '' }));
    },
    forget: async () => {
      await redis.observer.xTrim(STREAM, 'MAXLEN', 0);
    },
    slow: lineFault('slow'),
    faults: {
      down: lineFault('down'),
      'request-cut': lineFault('cut-request'),
      'answer-cut': lineFault('cut-answer'),
      'answer-held': lineFault('hold-answer'),
      hangs: lineFault('hang'),
      refuses: async () => {
        await redis.acl('-xadd', '-eval');
        return async () => {
          await redis.acl('+xadd', '+eval');
        };
      },
    },
    stop: async () => {
      await line.stop();
      await redis.stop();
    },
  };
}

withProgram({ test }, 'redis-server', process.env, (program) => {
  const runner = { describe, test, beforeAll, afterAll };
  const scale = { leakMessages: Number(process.env['WAYBILL_SUITE_MESSAGES'] ?? 500) };
  transportSuite(runner, 'redis-streams', () => startTarget(program, {}), scale);
  const once = { dedupWindowMs: 60_000 };
  transportSuite(runner, 'redis-streams with a dedup window', () => startTarget(program, once), scale);

  describe('redisStreams', () => {
    let redis: Awaited<ReturnType<typeof startRedis>>;
    beforeAll(async () => {
      redis = await startRedis(program);
    });
    afterAll(() => redis.stop());

    test('T01: a key that is no stream is refused with a readable class', async () => {
      await redis.observer.set('text', 'x');
      const transport = open(redis.port, { stream: 'text' });
      const outcomes = await transport.publish([testMessage()], OPEN_CONTEXT);
      expect(outcomes).toEqual([{ outcome: 'refused', class: 'wrong-type', detail: 'WRONGTYPE' }]);
      await transport.close();
    });

    test('T01: a server that is out of memory is a retry', async () => {
      await redis.observer.configSet('maxmemory', '1');
      const transport = open(redis.port);
      const outcomes = await transport.publish([testMessage()], OPEN_CONTEXT);
      expect(outcomes).toEqual([{ outcome: 'retry', class: 'server-refused', detail: 'OOM' }]);
      await redis.observer.configSet('maxmemory', '0');
      await transport.close();
    });

    test('T01: a repeat is added again once the dedup window is over, and a trimmed stream stays short', async () => {
      const transport = open(redis.port, { stream: 'short', dedupWindowMs: 1, trim: { maxLength: 100 } });
      const message = testMessage();
      const [first] = await transport.publish([message], OPEN_CONTEXT);
      const key = `waybill:sent:{short}:${message.id}`;
      await expect.poll(() => redis.observer.exists(key)).toBe(0);
      const [again] = await transport.publish([message], OPEN_CONTEXT);
      expect([first, again]).toMatchObject([{ duplicate: false }, { duplicate: false }]);
      for (let round = 0; round < 5; round++) {
        await transport.publish(
          Array.from({ length: 100 }, () => testMessage()),
          OPEN_CONTEXT,
        );
      }
      expect(await redis.observer.xLen('short')).toBeLessThan(400);
      await transport.close();
    });

    test('T01: a probe warns of settings that weaken the guarantee', async () => {
      await redis.observer.configSet('appendonly', 'no');
      await redis.observer.configSet({ maxmemory: '1gb', 'maxmemory-policy': 'allkeys-lru' });
      const transport = open(redis.port, { trim: { maxLength: 10 } });
      expect(await transport.probe(OPEN_CONTEXT.signal)).toEqual({
        status: 'reachable',
        warnings: [
          'the append-only file is off: a restart of the server loses accepted messages',
          'maxmemory-policy is allkeys-lru: the server may drop the whole stream',
          'the stream is trimmed: entries that nobody has read may be dropped',
        ],
      });
      await redis.observer.configSet({ maxmemory: '0', 'maxmemory-policy': 'noeviction' });
      await transport.close();
    });

    test('W17: an entry carries what a consumer needs', async () => {
      const transport = open(redis.port, { stream: 'fields' });
      const message = testMessage({ recordKey: 'Issue/1', headers: { traceparent: '00-a-b-01' } });
      await transport.publish([message], OPEN_CONTEXT);
      const entries = await redis.observer.xRange('fields', '-', '+');
      expect(entries?.[0]?.message).toMatchObject({
        id: message.id,
        body: message.body,
        'waybill-type': message.type,
        'waybill-record-key': 'Issue/1',
        headers: '{"traceparent":"00-a-b-01"}',
      });
      await transport.close();
    });

    test('T02: with an envelope the body is a CloudEvent in structured mode, the only one there is', async () => {
      const transport = open(redis.port, { stream: 'events', cloudEvents: { mode: 'structured', source: '/acme' } });
      const message = testMessage({ recordKey: 'Order/1' });
      await transport.publish([message], OPEN_CONTEXT);
      const [entry] = (await redis.observer.xRange('events', '-', '+')) ?? [];
      const event: unknown = JSON.parse(entry?.message['body'] ?? '');
      expect(event).toMatchObject({ specversion: '1.0', id: message.id, partitionkey: 'Order/1' });
      expect(entry?.message['body']?.endsWith(`,"data":${message.body}}`)).toBe(true);
      await transport.close();
    });

    test('T03: options are checked as a whole, without showing credentials', () => {
      const given = { url: 'redis://u:hunter2@localhost', stream: '', trim: { maxLength: 0 } };
      expect(() => redisStreams(given)).toThrow(
        "redis-streams: stream: expected a text that is not empty, got ''; redis-streams: url: expected no user and password (use credentials), got 'both or one of them'; redis-streams: trim: expected 'never' or { maxLength: a positive integer }, got { maxLength: 0 }",
      );
    });
  });
});

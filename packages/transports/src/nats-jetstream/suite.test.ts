import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { startNatsServer, withProgram } from '@waybill/local-servers';
import { type HeldMessage, startTcpProxy, type TransportTarget, testMessage, transportSuite } from '@waybill/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Transport } from '../transport.ts';
import { natsJetStream } from './nats-jetstream.ts';
import type { NatsJetStreamOptions } from './options.ts';

const STREAM = 'WAYBILL_TEST';
const USER = { user: 'waybill', pass: 'right' };
const OPEN_CONTEXT = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };

/** A private server with one stream, and a connection of the test's own to it. */
async function startNats(program: string) {
  const server = await startNatsServer(program);
  const { port } = server;
  const observer = await connect({ servers: `127.0.0.1:${port}`, ...USER });
  const manager = await jetstreamManager(observer);
  await manager.streams.add({ name: STREAM, subjects: ['test.>'], duplicate_window: 60_000_000_000 });
  return {
    port,
    observer,
    manager,
    async stop() {
      await observer.close();
      await server.stop();
    },
  };
}

function open(port: number, options: Partial<NatsJetStreamOptions> = {}): Transport {
  return natsJetStream({
    servers: [`127.0.0.1:${port}`],
    stream: STREAM,
    credentials: USER,
    duplicateWindowMs: 60_000,
    ...options,
  });
}

/** Reads the stream message by message, without any of the transport's code. */
async function readStream(observer: NatsConnection): Promise<readonly HeldMessage[]> {
  const manager = await jetstreamManager(observer);
  const { state } = await manager.streams.info(STREAM);
  const held: HeldMessage[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq && state.messages > 0; seq++) {
    const message = await manager.streams.getMessage(STREAM, { seq });
    if (message) held.push({ id: message.header.get('Nats-Msg-Id'), body: message.string() });
  }
  return held;
}

async function startTarget(program: string): Promise<TransportTarget> {
  const nats = await startNats(program);
  const line = await startTcpProxy(nats.port);
  const lineFault = (mode: 'slow' | 'down' | 'cut-request' | 'cut-answer' | 'hold-answer' | 'hang') => async () => {
    await line.become(mode);
    return () => line.become('pass');
  };
  return {
    open: async () => open(line.port),
    openUnauthorized: async () => open(line.port, { credentials: { user: USER.user, pass: 'wrong' } }),
    held: () => readStream(nats.observer),
    forget: async () => {
      await nats.manager.streams.purge(STREAM);
    },
    slow: lineFault('slow'),
    faults: {
      down: lineFault('down'),
      'request-cut': lineFault('cut-request'),
      'answer-cut': lineFault('cut-answer'),
      'answer-held': lineFault('hold-answer'),
      hangs: lineFault('hang'),
      refuses: async () => {
        await nats.manager.streams.update(STREAM, { max_msg_size: 10 });
        return async () => {
          await nats.manager.streams.update(STREAM, { max_msg_size: -1 });
        };
      },
    },
    stop: async () => {
      await line.stop();
      await nats.stop();
    },
  };
}

withProgram({ test }, 'nats-server', process.env, (program) => {
  transportSuite({ describe, test, beforeAll, afterAll }, 'nats-jetstream', () => startTarget(program), {
    leakMessages: Number(process.env['WAYBILL_SUITE_MESSAGES'] ?? 500),
  });

  describe('natsJetStream', () => {
    let nats: Awaited<ReturnType<typeof startNats>>;
    beforeAll(async () => {
      nats = await startNats(program);
    });
    afterAll(() => nats.stop());

    test('T01: a subject that no stream captures is refused with a readable class', async () => {
      const transport = open(nats.port, { subject: () => 'nobody.listens' });
      expect(await transport.publish([testMessage()], OPEN_CONTEXT)).toMatchObject([
        { outcome: 'refused', class: 'no-stream' },
      ]);
      await transport.close();
    });

    test('T01: what cannot be written is refused as such, and nothing is sent', async () => {
      const unwritable = { outcome: 'refused', class: 'not-encodable' };
      const transport = open(nats.port);
      const message = testMessage({ headers: { note: 'a\r\nb: c' } });
      expect(await transport.publish([message], OPEN_CONTEXT)).toMatchObject([unwritable]);
      await transport.close();
      const lost = open(nats.port, {
        subject: () => {
          throw new RangeError('no subject for it');
        },
      });
      expect(await lost.publish([testMessage()], OPEN_CONTEXT)).toMatchObject([
        { ...unwritable, detail: 'RangeError' },
      ]);
      await lost.close();
    });

    test('T01: a subject that another stream captures is refused', async () => {
      const transport = open(nats.port, { stream: 'ANOTHER' });
      expect(await transport.publish([testMessage()], OPEN_CONTEXT)).toEqual([
        { outcome: 'refused', class: 'stream-refused', detail: 'err_code 10060' },
      ]);
      await transport.close();
    });

    test('T01: a stream that is full and keeps what it has is a retry', async () => {
      await nats.manager.streams.add({ name: 'FULL', subjects: ['full.>'], max_msgs: 1, discard: 'new' });
      const transport = open(nats.port, { stream: 'FULL', subject: () => 'full.up' });
      const outcomes = await transport.publish(
        [testMessage({ recordKey: 'a/1' }), testMessage({ recordKey: 'a/1' })],
        OPEN_CONTEXT,
      );
      expect(outcomes).toMatchObject([
        { outcome: 'accepted', receipt: 'FULL:1' },
        { outcome: 'retry', class: 'stream-unavailable' },
      ]);
      await transport.close();
    });

    test('T01: a probe warns of settings that weaken the guarantee', async () => {
      await nats.manager.streams.add({
        name: 'WEAK',
        subjects: ['weak.>'],
        max_msgs: 10,
        storage: 'memory',
        duplicate_window: 1_000_000_000,
      });
      const transport = open(nats.port, { stream: 'WEAK' });
      expect(await transport.probe(OPEN_CONTEXT.signal)).toEqual({
        status: 'reachable',
        warnings: [
          'duplicate_window is 1000 ms, duplicateWindowMs is 60000: later repeats are stored twice',
          'the stream is kept in memory: a restart of its servers loses it',
          'discard is old: a full stream drops messages that nobody has read',
        ],
      });
      await transport.close();
    });

    test('W17: headers carry what a consumer needs, and none of the server’s own', async () => {
      const transport = open(nats.port);
      const message = testMessage({
        recordKey: 'Issue/ü',
        tenant: 'acme',
        headers: { traceparent: '00-a-b-01', 'Nats-Rollup': 'all' },
      });
      await transport.publish([message], OPEN_CONTEXT);
      const stored = await nats.manager.streams.getMessage(STREAM, { last_by_subj: message.type });
      expect(stored?.header.get('waybill-record-key')).toBe('Issue/%C3%BC');
      expect(stored?.header.get('waybill-tenant')).toBe('acme');
      expect(stored?.header.get('traceparent')).toBe('00-a-b-01');
      expect(stored?.header.has('Nats-Rollup')).toBe(false);
      await transport.close();
    });

    test('T02: with an envelope the message is a CloudEvent', async () => {
      const transport = open(nats.port, { cloudEvents: { mode: 'binary', source: '/acme/orders' } });
      const message = testMessage({ recordKey: 'Order/1' });
      await transport.publish([message], OPEN_CONTEXT);
      const stored = await nats.manager.streams.getMessage(STREAM, { last_by_subj: message.type });
      expect(stored?.header.get('ce-id')).toBe(message.id);
      expect(stored?.header.get('ce-partitionkey')).toBe('Order/1');
      expect(stored?.string()).toBe(message.body);
      await transport.close();
    });

    test('T03: options are checked as a whole, without showing credentials', () => {
      expect(() =>
        open(nats.port, { servers: [], stream: 'a.b', credentials: { token: 'hunter2' }, maxBytes: 0 }),
      ).toThrow(
        /servers: expected a list of at least one server, got \[\].*stream: expected the name of a stream, got 'a\.b'.*maxBytes: expected an integer/,
      );
    });
  });
});

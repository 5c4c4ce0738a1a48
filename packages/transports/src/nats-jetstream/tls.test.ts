import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { freePort, startNatsServer, startServerProcess, withProgram } from '@waybill/local-servers';
import { testMessage } from '@waybill/testkit';
import { expect, test } from 'vitest';
import { PASSWORD, tlsCases } from '../../test/tls-cases.ts';
import { natsJetStream } from './nats-jetstream.ts';

const STREAM = 'TLS';

withProgram({ test }, 'nats-server', process.env, (program) => {
  tlsCases({
    name: 'nats-jetstream',
    // The server speaks first, and here it has no TLS to offer.
    greeting: `INFO ${JSON.stringify({ server_id: 'x', version: '2.9.10', proto: 1, headers: true, max_payload: 1_048_576 })}\r\n`,
    open: ({ host, port, ca, password }) =>
      natsJetStream({
        servers: [`tls://${host}:${port}`],
        stream: STREAM,
        credentials: { user: 'waybill', pass: password },
        ...(ca === undefined ? {} : { ca }),
      }),
    startElsewhere: async (authority) => startNatsServer(program, await authority.issue('elsewhere.example')),
    async start(authority) {
      const server = await startNatsServer(program, await authority.issue('localhost'));
      const { port, user } = server;
      const tls = { ca: authority.certificate };
      const observer = await connect({ servers: `localhost:${port}`, user, pass: PASSWORD, tls });
      const manager = await jetstreamManager(observer);
      await manager.streams.add({ name: STREAM, subjects: ['test.>'] });
      return {
        port,
        async held() {
          const { state } = await manager.streams.info(STREAM);
          const ids: string[] = [];
          for (let seq = 1; seq <= state.last_seq; seq++) {
            const message = await manager.streams.getMessage(STREAM, { seq });
            ids.push(message?.header.get('Nats-Msg-Id') ?? '');
          }
          return ids;
        },
        async stop() {
          await observer.close();
          await server.stop();
        },
      };
    },
  });

  test('T01: a token lets in, and another one does not', async () => {
    const port = await freePort();
    const args = ['-a', '127.0.0.1', '-p', String(port), '--auth', PASSWORD];
    const server = await startServerProcess({ program, args, port });
    const publish = async (token: string) => {
      const transport = natsJetStream({ servers: [`127.0.0.1:${port}`], stream: STREAM, credentials: { token } });
      const context = { signal: new AbortController().signal, deadline: performance.now() + 60_000 };
      const outcomes = await transport.publish([testMessage()], context);
      await transport.close();
      return outcomes;
    };
    // The server has no JetStream, which is found out by who was let in.
    expect(await publish(PASSWORD)).toMatchObject([{ class: 'no-leader' }]);
    expect(await publish('hunter2')).toMatchObject([{ outcome: 'retry', class: 'unauthorized' }]);
    await server.stop();
  });

  test('T03: TLS is asked for by a server as by an authority, and then of all, by name', () => {
    const open = (servers: readonly string[], ca?: string) =>
      natsJetStream({ servers, stream: STREAM, ...(ca ? { ca } : {}) });
    const byName = /a host name, since a certificate is for a name, got '(127\.0\.0\.1:4222|\[::1\]:4222)'/;
    expect(() => open(['tls://127.0.0.1:4222'])).toThrow(byName);
    expect(() => open(['tls://nats:4222', '[::1]:4222'])).toThrow(byName);
    expect(() => open(['127.0.0.1:4222'], 'PEM')).toThrow(byName);
    expect(() => open(['nats://nats-1:4222', 'tls://nats-2:4222'])).toThrow(/expected tls:\/\/host:port/);
    expect(() => open(['nats://u:hunter2@nats:4222'])).toThrow(
      /host:port or tls:\/\/host:port \(use credentials\), got 'string'/,
    );
    for (const servers of [['127.0.0.1:4222'], ['nats://127.0.0.1'], ['tls://nats'], ['nats-1', 'tls://nats-2:4222']])
      expect(open(servers).name).toBe('nats-jetstream');
  });
});

import { startRedisServer, withProgram } from '@waybill/local-servers';
import { createClient } from 'redis';
import { test } from 'vitest';
import { PASSWORD, tlsCases } from '../../test/tls-cases.ts';
import { redisStreams } from './redis-streams.ts';

const STREAM = 'orders';

withProgram({ test }, 'redis-server', process.env, (program) => {
  tlsCases({
    name: 'redis-streams',
    open: ({ host, port, ca, password }) =>
      redisStreams({
        url: `rediss://${host}:${port}`,
        stream: STREAM,
        trim: 'never',
        dedupWindowMs: 60_000,
        credentials: { username: 'waybill', password },
        ...(ca === undefined ? {} : { ca }),
      }),
    async start(authority) {
      const server = await startRedisServer(program, await authority.issue('localhost'));
      const url = `rediss://localhost:${server.port}`;
      const observer = createClient({ url, socket: { tls: true, ca: authority.certificate } });
      observer.on('error', () => undefined);
      await observer.connect();
      // A user who may do what the transport does, and nothing else.
      const keys = [`~${STREAM}`, `~waybill:sent:{${STREAM}}:*`];
      const rights = ['on', `>${PASSWORD}`, ...keys, '+xadd', '+eval', '+get', '+set', '+info', '+client'];
      await observer.sendCommand(['ACL', 'SETUSER', 'waybill', ...rights]);
      return {
        port: server.port,
        held: async () => ((await observer.xRange(STREAM, '-', '+')) ?? []).map(({ message }) => message['id'] ?? ''),
        async stop() {
          observer.destroy();
          await server.stop();
        },
      };
    },
  });
});

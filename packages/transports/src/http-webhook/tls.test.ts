import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { PASSWORD, tlsCases } from '../../test/tls-cases.ts';
import { httpWebhook } from './http-webhook.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

tlsCases({
  name: 'http-webhook',
  unauthorized: { outcome: 'refused', class: 'http-401' },
  open: ({ host, port, ca, password }) =>
    httpWebhook({
      url: `https://${host}:${port}/hook`,
      secrets: [SECRET],
      headers: { authorization: `Bearer ${password}` },
      allowedNetworks: ['127.0.0.1'],
      allowedPorts: [port],
      ...(ca === undefined ? {} : { ca }),
    }),
  async start(authority) {
    const { certificateFile, keyFile } = await authority.issue('localhost');
    const ids: string[] = [];
    const key = { cert: await readFile(certificateFile), key: await readFile(keyFile) };
    const server = createServer(key, ({ headers }, response) => {
      const isRight = headers.authorization === `Bearer ${PASSWORD}`;
      if (isRight) ids.push(String(headers['webhook-id']));
      response.writeHead(isRight ? 204 : 401).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
      port: (server.address() as AddressInfo).port, // a listening TCP server has one
      held: async () => ids,
      async stop() {
        server.close();
        server.closeAllConnections();
        if (server.listening) await once(server, 'close');
      },
    };
  },
});

import { startRabbitMqServer, withProgram } from '@waybill/local-servers';
import { connect } from 'amqplib';
import { test } from 'vitest';
import { PASSWORD, tlsCases } from '../../test/tls-cases.ts';
import { rabbitMq } from './rabbitmq.ts';

const QUEUE = 'orders';

withProgram({ test }, 'rabbitmq-server', process.env, (program) => {
  tlsCases({
    name: 'rabbitmq',
    open: ({ host, port, ca, password }) =>
      rabbitMq({
        url: `amqps://${host}:${port}`,
        exchange: '',
        routingKey: () => QUEUE,
        credentials: { username: 'waybill', password },
        ...(ca === undefined ? {} : { ca }),
      }),
    async start(authority) {
      const server = await startRabbitMqServer(program, await authority.issue('localhost'));
      const { port, user: username } = server;
      const access = { protocol: 'amqps', hostname: 'localhost', port, username, password: PASSWORD };
      const connection = await connect(access, { ca: authority.certificate });
      const observer = await connection.createChannel();
      await observer.assertQueue(QUEUE);
      const ids: string[] = [];
      return {
        port,
        async held() {
          for (;;) {
            const message = await observer.get(QUEUE, { noAck: true });
            if (!message) return ids;
            ids.push(String(message.properties.messageId));
          }
        },
        async stop() {
          await connection.close();
          await server.stop();
        },
      };
    },
  });
});

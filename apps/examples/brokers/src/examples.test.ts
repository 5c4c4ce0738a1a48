import {
  freePort,
  startKafkaBroker,
  startNatsServer,
  startRabbitMqServer,
  startRedisServer,
  withProgram,
} from '@waybill/local-servers';
import { test } from 'vitest';
import { type BrokerOf, tellStory } from '../test/example-story.ts';

/** A broker has to boot, and several processes start, on a machine that may be busy. */
const PATIENCE_MS = 480_000;

/** Tells the story of an example with a server that is stopped afterwards. */
async function withServer(
  server: { stop(): Promise<void> },
  example: string,
  broker: ReturnType<BrokerOf>,
): Promise<void> {
  try {
    await tellStory(example, () => broker);
  } finally {
    await server.stop();
  }
}

const TITLE = 'T01: the example delivers every order once into billing, in order, though billing crashes';

withProgram({ test }, 'nats-server', process.env, (program) => {
  test(`${TITLE} (nats-jetstream)`, { timeout: PATIENCE_MS }, async () => {
    const server = await startNatsServer(program);
    const { port, user, password } = server;
    await withServer(server, 'nats-jetstream', { url: `127.0.0.1:${port}`, user, password });
  });
});

withProgram({ test }, 'redis-server', process.env, (program) => {
  test(`${TITLE} (redis-streams)`, { timeout: PATIENCE_MS }, async () => {
    const server = await startRedisServer(program);
    await withServer(server, 'redis-streams', { url: `redis://127.0.0.1:${server.port}`, user: '', password: '' });
  });
});

withProgram({ test }, 'rabbitmq-server', process.env, (program) => {
  test(`${TITLE} (rabbitmq)`, { timeout: PATIENCE_MS }, async () => {
    const server = await startRabbitMqServer(program);
    const { port, user, password } = server;
    await withServer(server, 'rabbitmq', { url: `amqp://127.0.0.1:${port}`, user, password });
  });
});

test(`${TITLE} (kafka)`, { timeout: PATIENCE_MS }, async () => {
  const credentials = { username: 'waybill', password: 'right' };
  const server = await startKafkaBroker({ topic: 'shop', partitions: 3, credentials });
  const { username: user, password } = credentials;
  await withServer(server, 'kafka', { url: `127.0.0.1:${server.port}`, user, password });
});

test(`${TITLE} (http-webhook)`, { timeout: PATIENCE_MS }, async () => {
  const url = `http://127.0.0.1:${await freePort()}/`;
  await tellStory('http-webhook', () => ({ url, user: '', password: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }));
});

test(`${TITLE} (postgres-inbox)`, { timeout: PATIENCE_MS }, async () => {
  await tellStory('postgres-inbox', (billing) => ({ url: billing, user: '', password: '' }));
});

import {
  findProgram,
  startKafkaBroker,
  startNatsServer,
  startRabbitMqServer,
  startRedisServer,
} from '@waybill/local-servers';
import type { BrokerAddress, BrokerName } from './broker.ts';

/** A broker of the benchmark's own. */
export interface RunningBroker {
  readonly address: BrokerAddress;
  stop(): Promise<void>;
}

/** A broker that runs, or the program that is missing. */
export type Started = { readonly running: RunningBroker } | { readonly missing: string };

export const KAFKA_TOPIC = 'bench';
const KAFKA_USER = { username: 'bench', password: 'bench' };

interface Server {
  readonly port: number;
  readonly user?: string;
  readonly password?: string;
  stop(): Promise<void>;
}

const PROGRAMS: Readonly<
  Record<Exclude<BrokerName, 'kafka'>, { readonly program: string; readonly start: (path: string) => Promise<Server> }>
> = {
  'nats-jetstream': { program: 'nats-server', start: startNatsServer },
  rabbitmq: { program: 'rabbitmq-server', start: startRabbitMqServer },
  'redis-streams': { program: 'redis-server', start: startRedisServer },
};

/** Starts a broker, where its program is found on the path. */
export async function startBroker(broker: BrokerName, searchPath: string): Promise<Started> {
  if (broker === 'kafka') return { running: await startKafka() };
  const { program, start } = PROGRAMS[broker];
  const path = findProgram(program, searchPath);
  if (path === null) return { missing: program };
  const server = await start(path);
  const { port, user = '', password = '' } = server;
  return { running: { address: { broker, port, user, password }, stop: () => server.stop() } };
}

async function startKafka(): Promise<RunningBroker> {
  const server = await startKafkaBroker({ topic: KAFKA_TOPIC, partitions: 3, credentials: KAFKA_USER });
  const { username: user, password } = KAFKA_USER;
  return { address: { broker: 'kafka', port: server.port, user, password }, stop: () => server.stop() };
}

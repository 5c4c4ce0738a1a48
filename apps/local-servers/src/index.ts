export {
  type CertificateAuthority,
  createCertificateAuthority,
  type ServerCertificate,
} from './certificate-authority.ts';
export { findProgram } from './find-program.ts';
export { freePort } from './free-port.ts';
export type { KafkaRecord } from './kafka-broker/record-batch.ts';
export { type KafkaBroker, type KafkaBrokerOptions, startKafkaBroker } from './kafka-broker/start-kafka-broker.ts';
export { type KafkaMock, startKafkaMock } from './start-kafka-mock.ts';
export { type NatsServer, startNatsServer } from './start-nats-server.ts';
export { type RabbitMqServer, startRabbitMqServer } from './start-rabbitmq-server.ts';
export { type RedisServer, startRedisServer } from './start-redis-server.ts';
export { type ServerProcess, type ServerProcessOptions, startServerProcess } from './start-server-process.ts';
export { type ProgramEnvironment, type TestDefinition, withProgram } from './with-program.ts';

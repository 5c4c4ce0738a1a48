export { natsJetStream } from './nats-jetstream.ts';
export type { NatsCredentials, NatsJetStreamOptions } from './options.ts';

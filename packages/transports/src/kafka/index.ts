export { kafka } from './kafka.ts';
export type { KafkaCredentials, KafkaOptions } from './options.ts';

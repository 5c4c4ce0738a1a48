export type { RabbitMqOptions } from './options.ts';
export { rabbitMq } from './rabbitmq.ts';

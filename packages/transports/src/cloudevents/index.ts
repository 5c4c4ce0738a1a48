export { type AmqpEvent, amqpEvent } from './amqp-binding.ts';
export { type CloudEventsOptions, cloudEventAttributes } from './cloud-event.ts';
export { CLOUD_EVENTS_MODES, type CloudEventsEnvelope, type CloudEventsMode } from './envelope.ts';
export { type HttpEvent, httpEvent } from './http-binding.ts';
export { structuredJson } from './json-format.ts';
export { type KafkaEvent, kafkaEvent } from './kafka-binding.ts';
export { type NatsEvent, natsEvent } from './nats-binding.ts';

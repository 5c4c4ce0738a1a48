export type { RedisStreamsOptions, RedisTrim } from './options.ts';
export { redisStreams } from './redis-streams.ts';

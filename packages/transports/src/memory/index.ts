export { type MemoryOptions, type MemoryTransport, memory } from './memory.ts';

export { type FileOptions, file } from './file.ts';

import { isRecord } from '../config/path.ts';
import type { Route } from './route.ts';

/** Whether a value is what `publish`, `call` or `handle` make. A configuration in JavaScript may hold anything, and nothing else asks again. */
export function isRoute(value: unknown): value is Route {
  if (!isRecord(value) || !isRecord(value['message']) || typeof value['message']['type'] !== 'string') return false;
  switch (value['via']) {
    case 'publish':
      return isTransport(value['to']);
    case 'call':
    case 'handle':
      return typeof value['handler'] === 'function';
    default:
      return false;
  }
}

function isTransport(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['name'] === 'string' &&
    typeof value['publish'] === 'function' &&
    isRecord(value['capabilities'])
  );
}

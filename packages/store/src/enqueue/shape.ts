import { StoreError } from '../errors.ts';
import type { EnqueueEntry } from './prepare.ts';

/**
 * Refuses what a caller without types may have given in the place of messages, before anything is read from it. Throws `STO_INVALID_OPTION`.
 * What the options say is checked by `checkEnqueueOptions`.
 */
export function checkShape(entries: unknown): asserts entries is readonly EnqueueEntry[] {
  if (!Array.isArray(entries)) throw refusal('messages', 'a list');
  for (const entry of entries as readonly unknown[]) {
    if (!isObject(entry)) throw refusal('messages', 'a list of { message, payload, options }');
    if (!isMessage(Reflect.get(entry, 'message'))) throw refusal('message', 'what defineMessage has given');
    const options: unknown = Reflect.get(entry, 'options');
    if (options === undefined) continue;
    if (!isPlain(options)) throw refusal('options', 'a plain object');
    const headers: unknown = Reflect.get(options, 'headers');
    // A Map would be sent along as nothing, and a list by its numbers.
    if (headers !== undefined && !isPlain(headers)) throw refusal('headers', 'a plain object of texts');
  }
}

function isMessage(thing: unknown): boolean {
  if (!isObject(thing)) return false;
  const recordKey: unknown = Reflect.get(thing, 'recordKey');
  return (
    typeof Reflect.get(thing, 'type') === 'string' &&
    typeof Reflect.get(thing, 'newest') === 'number' &&
    (recordKey === null || typeof recordKey === 'function')
  );
}

function isPlain(thing: unknown): thing is object {
  if (!isObject(thing)) return false;
  const prototype: unknown = Object.getPrototypeOf(thing);
  // An object of another realm has a prototype of its own that is like ours.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isObject(thing: unknown): thing is object {
  return typeof thing === 'object' && thing !== null;
}

function refusal(what: string, expected: string): StoreError {
  return new StoreError('STO_INVALID_OPTION', `${what}: expected ${expected}`);
}

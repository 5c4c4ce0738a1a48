import type { VersionName } from '@waybill/store';
import { InvalidArgumentError } from 'commander';

/** Reads `TYPE@VERSION`. */
export function parseVersionName(text: string): VersionName {
  const [, type, version] = /^(.+)@([1-9]\d*)$/.exec(text) ?? [];
  if (type === undefined) throw new InvalidArgumentError('expected TYPE@VERSION, as in shop.order-placed@2');
  return { type, version: Number(version) };
}

/** Reads a time with its zone, as in 2026-01-31T18:00:00Z. */
export function parseTime(text: string): Date {
  const time = new Date(text);
  if (!/T.*(Z|[+-]\d\d:?\d\d)$/.test(text) || Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('expected a time with its zone, as in 2026-01-31T18:00:00Z');
  return time;
}

export function parseWholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('expected a whole number');
  return Number(text);
}

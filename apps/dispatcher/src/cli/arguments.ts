import type { VersionName } from '@waybill/store';
import { InvalidArgumentError } from 'commander';
import { isInstant } from '../config/instant.ts';

/** A whole number from 1. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || !Number.isSafeInteger(count))
    throw new InvalidArgumentError('expected a whole number from 1.');
  return count;
}

/** A whole number from 0. */
export function parseTally(text: string): number {
  return text === '0' ? 0 : parseCount(text);
}

export function parseRate(text: string): number {
  const rate = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || rate <= 0) throw new InvalidArgumentError('expected a number above 0.');
  return rate;
}

export function parseInstant(text: string): Date {
  if (!isInstant(text))
    throw new InvalidArgumentError('expected a time with its offset, such as 2026-01-31T10:00:00Z.');
  return new Date(text);
}

/** Reads `TYPE@VERSION`. */
export function parseVersionName(text: string): VersionName {
  const [, type, version] = /^(.+)@([1-9]\d*)$/.exec(text) ?? [];
  if (type === undefined) throw new InvalidArgumentError('expected TYPE@VERSION, as in shop.order-placed@2.');
  return { type, version: Number(version) };
}

export function oneOf<const T extends string>(allowed: readonly T[], text: string): T {
  const found = allowed.find((word) => word === text);
  if (found === undefined) throw new InvalidArgumentError(`expected one of ${allowed.join(', ')}.`);
  return found;
}

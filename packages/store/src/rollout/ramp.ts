import { createHash } from 'node:crypto';

import type { Pin } from './standing.ts';

/** The place of a key in a ramp, from 0 to 99. The SQL function `ramp_place` computes the same. */
export function rampPlace(key: string): number {
  return createHash('sha256').update(key).digest().readUInt16BE(0) % 100;
}

/** The highest version that a key may be written in. A key keeps its side of the ramp until the percentage passes it, so its versions do not alternate. */
export function ceilingOf(pin: Pin | null, key: string): number {
  if (pin === null) return Number.POSITIVE_INFINITY;
  return rampPlace(key) < pin.percent ? pin.version : pin.version - 1;
}

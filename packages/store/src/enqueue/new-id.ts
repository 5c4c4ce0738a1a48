import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const BYTES_AN_ID = 16;

// Asking for random bytes costs as much for sixteen as for four thousand.
const pool = new Uint8Array(256 * BYTES_AN_ID);
let used = pool.length;

function randomBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += BYTES_AN_ID;
  return pool.slice(used - BYTES_AN_ID, used);
}

/** Ids in the order of time keep the index on ids dense: random ones would touch a page of it, and write that page to the log, per message. */
export function newMessageId(): string {
  return v7({ random: randomBytes() });
}

import type { TypedRecord } from '@waybill/store';

/** What the payloads that wait for workers may take: a small part of the heap that Node gives itself on the smallest machines. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Small payloads among large ones say little about the next ones; many of them in a row do. */
const FADING = 0.9;

/**
 * How many records may wait for workers, by what their payloads take. Their size is learnt from what was claimed, so it is the first claim after a
 * change from small to large payloads that may bring more; one after a start takes no more than a record for each worker.
 */
export class ByteBudget {
  #bytesARecord = 0;

  /** How many more records may be claimed now, of at most `limit`, with so many waiting. With none waiting, one may be as large as it likes. */
  records(limit: number, waiting: number): number {
    const room = Math.floor(MOST_BYTES / Math.max(1, this.#bytesARecord)) - waiting;
    return Math.min(limit, Math.max(waiting === 0 ? 1 : 0, room));
  }

  learn(records: readonly Pick<TypedRecord, 'payload'>[]): void {
    if (records.length === 0) return;
    const mean = records.reduce((sum, { payload }) => sum + payload.length, 0) / records.length;
    this.#bytesARecord = Math.max(mean, this.#bytesARecord * FADING + mean * (1 - FADING));
  }
}

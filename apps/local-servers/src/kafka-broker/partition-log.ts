import type { KafkaRecord, RecordBatch } from './record-batch.ts';

/** What an append came to, as the broker answers it. */
export interface Appended {
  readonly errorCode: number;
  readonly baseOffset: number;
}

/** One partition: its records, and how far each producer is. */
export interface PartitionLog {
  append(batch: RecordBatch): Appended;
  readonly records: readonly KafkaRecord[];
  /** The offset of the record that comes next. */
  end(): bigint;
  /** The batches from the one with this offset on, as a consumer gets them. */
  from(offset: bigint): Buffer;
  forget(): void;
}

const NONE = 0;
const CORRUPT_MESSAGE = 2;
const OUT_OF_ORDER_SEQUENCE_NUMBER = 45;
const DUPLICATE_SEQUENCE_NUMBER = 46;
const INVALID_PRODUCER_EPOCH = 47;

// As many batches of a producer as a broker remembers.
const REMEMBERED_BATCHES = 5;

interface RememberedBatch {
  readonly first: number;
  readonly last: number;
  readonly baseOffset: number;
}

interface ProducerState {
  readonly epoch: number;
  readonly batches: readonly RememberedBatch[];
}

/** Makes an empty partition that follows the rules of an idempotent producer: a repeated batch is answered, and not appended. */
export function partitionLog(): PartitionLog {
  const records: KafkaRecord[] = [];
  const stored: { readonly end: bigint; readonly raw: Buffer }[] = [];
  const producers = new Map<bigint, ProducerState>();

  const add = (batch: RecordBatch): Appended => {
    const baseOffset = records.push(...batch.records) - batch.records.length;
    // The offset of its first record is what a broker writes into a batch.
    const raw = Buffer.from(batch.raw);
    raw.writeBigInt64BE(BigInt(baseOffset));
    stored.push({ end: BigInt(records.length), raw });
    return { errorCode: NONE, baseOffset };
  };
  return {
    records,
    end: () => BigInt(records.length),
    from: (offset) => Buffer.concat(stored.filter(({ end }) => end > offset).map(({ raw }) => raw)),
    forget() {
      records.length = 0;
      stored.length = 0;
    },
    append(batch) {
      if (!batch.isSound) return refused(CORRUPT_MESSAGE);
      if (batch.producerId < 0n) return add(batch);
      const known = producers.get(batch.producerId) ?? { epoch: batch.producerEpoch, batches: [] };
      if (batch.producerEpoch < known.epoch) return refused(INVALID_PRODUCER_EPOCH);
      const batches = batch.producerEpoch === known.epoch ? known.batches : [];
      const first = batch.firstSequence;
      const last = first + batch.records.length - 1;
      const repeated = batches.find((earlier) => earlier.first === first && earlier.last === last);
      if (repeated) return { errorCode: NONE, baseOffset: repeated.baseOffset };
      const expected = (batches.at(-1)?.last ?? -1) + 1;
      if (first !== expected)
        return refused(first < expected ? DUPLICATE_SEQUENCE_NUMBER : OUT_OF_ORDER_SEQUENCE_NUMBER);
      const appended = add(batch);
      const remembered = [...batches, { first, last, baseOffset: appended.baseOffset }].slice(-REMEMBERED_BATCHES);
      producers.set(batch.producerId, { epoch: batch.producerEpoch, batches: remembered });
      return appended;
    },
  };
}

function refused(errorCode: number): Appended {
  return { errorCode, baseOffset: -1 };
}

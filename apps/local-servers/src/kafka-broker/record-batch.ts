import { wireReader } from './wire.ts';

/** A record as it was produced. */
export interface KafkaRecord {
  readonly key: string | null;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A batch of records, format 2. */
export interface RecordBatch {
  readonly isSound: boolean;
  readonly producerId: bigint;
  readonly producerEpoch: number;
  readonly firstSequence: number;
  readonly records: readonly KafkaRecord[];
  /** As it came. */
  readonly raw: Buffer;
}

// Where the part begins that the checksum covers: after base offset, length, leader epoch, magic and the checksum itself.
const CHECKED_FROM = 21;
const MAGIC = 2;

/** Reads an uncompressed batch. A broken one is read as far as its head. */
export function readRecordBatch(buffer: Buffer): RecordBatch {
  const reader = wireReader(buffer);
  reader.int64(); // base offset, which the broker sets
  const length = reader.int32();
  reader.int32(); // leader epoch
  const magic = reader.int8();
  const checksum = reader.int32() >>> 0;
  reader.int16(); // attributes
  const lastOffsetDelta = reader.int32();
  reader.int64(); // first timestamp
  reader.int64(); // last timestamp
  const head = { producerId: reader.int64(), producerEpoch: reader.int16(), firstSequence: reader.int32() };
  const count = reader.int32();
  const isSound =
    magic === MAGIC &&
    length === buffer.length - 12 &&
    lastOffsetDelta === count - 1 &&
    checksum === crc32c(buffer.subarray(CHECKED_FROM));
  const records = isSound ? Array.from({ length: count }, () => readRecord(reader)) : [];
  return { ...head, isSound, records, raw: buffer };
}

function readRecord(reader: ReturnType<typeof wireReader>): KafkaRecord {
  const text = (): string | null => {
    const length = reader.varint();
    return length < 0 ? null : reader.bytes(length).toString();
  };
  reader.varint(); // length
  reader.int8(); // attributes
  reader.varint(); // timestamp delta
  reader.varint(); // offset delta
  const key = text();
  const value = text() ?? '';
  const headers = Array.from({ length: reader.varint() }, () => [text() ?? '', text() ?? ''] as const);
  return { key, value, headers: Object.fromEntries(headers) };
}

// The polynomial of Castagnoli, reflected.
const POLYNOMIAL = 0x82f63b78;

/** The checksum of a batch, bit by bit, so that it shares nothing with the table of any client. */
export function crc32c(buffer: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of buffer) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

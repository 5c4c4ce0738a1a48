import { expect, test } from 'vitest';
import { partitionLog } from './partition-log.ts';
import { crc32c, type RecordBatch } from './record-batch.ts';

// The check value of CRC-32C, and an example of RFC 3720, appendix B.4.
test.each([
  [Buffer.from('123456789'), 0xe3069283],
  [Buffer.alloc(32), 0x8a9136aa],
])('T01: the checksum of a batch is CRC-32C', (bytes, checksum) => {
  expect(crc32c(bytes)).toBe(checksum);
});

function batch(firstSequence: number, count: number, producerEpoch = 0): RecordBatch {
  const records = Array.from({ length: count }, () => ({ key: null, value: 'x', headers: {} }));
  return { isSound: true, producerId: 1n, producerEpoch, firstSequence, records, raw: Buffer.alloc(100) };
}

test('T01: a partition follows the sequence numbers of a producer', () => {
  const log = partitionLog();
  expect(log.append(batch(0, 2))).toEqual({ errorCode: 0, baseOffset: 0 });
  expect(log.append(batch(0, 2))).toEqual({ errorCode: 0, baseOffset: 0 }); // a repeat: answered, not appended
  expect(log.append(batch(2, 1))).toEqual({ errorCode: 0, baseOffset: 2 });
  expect(log.append(batch(4, 1))).toMatchObject({ errorCode: 45 });
  expect(log.append(batch(1, 1))).toMatchObject({ errorCode: 46 });
  expect(log.append(batch(0, 1, 1))).toEqual({ errorCode: 0, baseOffset: 3 });
  expect(log.append(batch(3, 1))).toMatchObject({ errorCode: 47 });
  expect(log.append({ ...batch(1, 1, 1), isSound: false })).toMatchObject({ errorCode: 2 });
  expect(log.records).toHaveLength(4);
});

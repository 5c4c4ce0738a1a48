/** Reads the types of Kafka's protocol, flexible versions, from a buffer. */
export interface WireReader {
  int8(): number;
  int16(): number;
  int32(): number;
  int64(): bigint;
  /** An unsigned variable-length integer. */
  uvarint(): number;
  /** A signed one, in zigzag. */
  varint(): number;
  bytes(length: number): Buffer;
  /** A string with its length in 16 bits, as in headers and inflexible versions. */
  string(): string;
  compactString(): string | null;
  compactBytes(): Buffer;
  array<T>(read: () => T): readonly T[];
  tags(): void;
}

export function wireReader(buffer: Buffer): WireReader {
  let at = 0;
  const advance = (count: number): number => {
    at += count;
    return at - count;
  };
  const reader: WireReader = {
    int8: () => buffer.readInt8(advance(1)),
    int16: () => buffer.readInt16BE(advance(2)),
    int32: () => buffer.readInt32BE(advance(4)),
    int64: () => buffer.readBigInt64BE(advance(8)),
    uvarint() {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = buffer.readUInt8(advance(1));
        value += (byte & 0x7f) * 2 ** shift;
        if (byte < 0x80) return value;
      }
    },
    varint() {
      const value = reader.uvarint();
      return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    },
    bytes: (length) => buffer.subarray(advance(length), at),
    string: () => reader.bytes(Math.max(0, reader.int16())).toString(),
    compactString() {
      const length = reader.uvarint() - 1;
      return length < 0 ? null : reader.bytes(length).toString();
    },
    compactBytes: () => reader.bytes(reader.uvarint() - 1),
    // No list at all reads like an empty one.
    array: (read) => Array.from({ length: Math.max(0, reader.uvarint() - 1) }, read),
    tags() {
      for (let left = reader.uvarint(); left > 0; left--) {
        reader.uvarint();
        reader.bytes(reader.uvarint());
      }
    },
  };
  return reader;
}

/** Writers of single values; a message is their concatenation. */
export const wire = {
  int8: (value: number): Buffer => fixed(1, (buffer) => buffer.writeInt8(value)),
  int16: (value: number): Buffer => fixed(2, (buffer) => buffer.writeInt16BE(value)),
  int32: (value: number): Buffer => fixed(4, (buffer) => buffer.writeInt32BE(value)),
  int64: (value: bigint): Buffer => fixed(8, (buffer) => buffer.writeBigInt64BE(value)),
  uvarint: (value: number): Buffer => uvarint(value),
  compactString: (text: string | null): Buffer =>
    text === null ? uvarint(0) : Buffer.concat([uvarint(Buffer.byteLength(text) + 1), Buffer.from(text)]),
  compactBytes: (bytes: Buffer): Buffer => Buffer.concat([uvarint(bytes.length + 1), bytes]),
  array: (items: readonly Buffer[]): Buffer => Buffer.concat([uvarint(items.length + 1), ...items]),
  noTags: Buffer.of(0) as Buffer,
} as const;

function fixed(size: number, write: (buffer: Buffer) => void): Buffer {
  const buffer = Buffer.alloc(size);
  write(buffer);
  return buffer;
}

function uvarint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  while (left >= 0x80) {
    bytes.push((left & 0x7f) | 0x80);
    left = Math.floor(left / 0x80);
  }
  return Buffer.from([...bytes, left]);
}

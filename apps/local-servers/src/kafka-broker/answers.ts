import type { EventEmitter } from 'node:events';
import { CONSUMER_APIS, TOPIC_ID } from './consumer-answers.ts';
import type { ConsumerGroup } from './group.ts';
import type { PartitionLog } from './partition-log.ts';
import { readRecordBatch } from './record-batch.ts';
import { type BrokerUser, MECHANISMS, type SignIn } from './sign-in.ts';
import { type WireReader, wire } from './wire.ts';

/** What a broker knows while it answers. */
export interface BrokerState {
  readonly topic: string;
  readonly partitions: readonly PartitionLog[];
  /** Where clients are told to connect to. */
  readonly host: string;
  advertisedPort: number;
  /** Answers every produce with this error instead of appending. */
  produceError: number | null;
  /** A larger batch is refused. */
  maxBatchBytes: number;
  readonly credentials: BrokerUser;
  /** The only group that there is, whatever its name. */
  readonly group: ConsumerGroup;
  /** Tells `append` whenever records were appended. */
  readonly appends: EventEmitter;
  nextProducerId: bigint;
  /** How many produce requests have come. */
  produceRequests: number;
}

/** What a broker knows of one connection. */
export interface ClientState {
  /** Null until the client has chosen how. */
  signIn: SignIn | null;
}

/** One kind of request: the only version that is spoken, whether headers have tags, and the body of the answer. */
export interface Api {
  readonly version: number;
  readonly tagged: { readonly request: boolean; readonly response: boolean };
  answer(request: WireReader, state: BrokerState, client: ClientState): Buffer | Promise<Buffer>;
}

const NONE = 0;
const UNKNOWN_TOPIC_OR_PARTITION = 3;
const MESSAGE_TOO_LARGE = 10;
const UNSUPPORTED_SASL_MECHANISM = 33;
const SASL_AUTHENTICATION_FAILED = 58;
const NODE_ID = 1;
const FLEXIBLE = { request: true, response: true } as const;

const { int8, int16, int32, int64, compactString, array, noTags } = wire;

/** Every request that the broker understands, by the protocol's number. */
export const APIS: ReadonlyMap<number, Api> = new Map<number, Api>([
  [0, { version: 9, tagged: FLEXIBLE, answer: answerProduce }],
  [3, { version: 12, tagged: FLEXIBLE, answer: answerMetadata }],
  [17, { version: 1, tagged: { request: false, response: false }, answer: answerSaslHandshake }],
  // Its header never has tags, since the client cannot know yet what the broker speaks.
  [18, { version: 3, tagged: { request: true, response: false }, answer: answerApiVersions }],
  [22, { version: 4, tagged: FLEXIBLE, answer: answerInitProducerId }],
  [36, { version: 2, tagged: FLEXIBLE, answer: answerSaslAuthenticate }],
  ...CONSUMER_APIS,
]);

function answerApiVersions(): Buffer {
  const versions = [...APIS].map(([key, { version }]) =>
    Buffer.concat([int16(key), int16(version), int16(version), noTags]),
  );
  return Buffer.concat([int16(NONE), array(versions), int32(0), noTags]);
}

function answerMetadata(request: WireReader, state: BrokerState): Buffer {
  const asked = request.array(() => {
    request.bytes(16); // topic id
    const name = request.compactString() ?? '';
    request.tags();
    return name;
  });
  const brokers = [
    Buffer.concat([
      int32(NODE_ID),
      compactString(state.host),
      int32(state.advertisedPort),
      compactString(null),
      noTags,
    ]),
  ];
  const topics = asked.map((name) => describeTopic(name, name === state.topic ? state.partitions.length : 0));
  return Buffer.concat([int32(0), array(brokers), compactString('waybill'), int32(NODE_ID), array(topics), noTags]);
}

function describeTopic(name: string, partitions: number): Buffer {
  const nodes = array([int32(NODE_ID)]);
  const described = Array.from({ length: partitions }, (_, index) =>
    Buffer.concat([int16(NONE), int32(index), int32(NODE_ID), int32(0), nodes, nodes, array([]), noTags]),
  );
  const error = int16(partitions > 0 ? NONE : UNKNOWN_TOPIC_OR_PARTITION);
  return Buffer.concat([error, compactString(name), TOPIC_ID, int8(0), array(described), int32(0), noTags]);
}

function answerInitProducerId(_: WireReader, state: BrokerState): Buffer {
  return Buffer.concat([int32(0), int16(NONE), int64(state.nextProducerId++), int16(0), noTags]);
}

function answerProduce(request: WireReader, state: BrokerState): Buffer {
  state.produceRequests++;
  request.compactString(); // transactional id
  request.int16(); // acks
  request.int32(); // timeout
  const topics = request.array(() => {
    const name = request.compactString() ?? '';
    const partitions = request.array(() => {
      const index = request.int32();
      const batch = request.compactBytes();
      request.tags();
      return describeAppend(index, append(state, index, batch));
    });
    request.tags();
    return Buffer.concat([compactString(name), array(partitions), noTags]);
  });
  state.appends.emit('append');
  return Buffer.concat([array(topics), int32(0), noTags]);
}

function append(state: BrokerState, index: number, batch: Buffer): { errorCode: number; baseOffset: number } {
  const refused = (errorCode: number) => ({ errorCode, baseOffset: -1 });
  if (state.produceError !== null) return refused(state.produceError);
  if (batch.length > state.maxBatchBytes) return refused(MESSAGE_TOO_LARGE);
  return state.partitions[index]?.append(readRecordBatch(batch)) ?? refused(UNKNOWN_TOPIC_OR_PARTITION);
}

function describeAppend(index: number, { errorCode, baseOffset }: { errorCode: number; baseOffset: number }): Buffer {
  const noTime = int64(-1n);
  const offset = int64(BigInt(baseOffset));
  return Buffer.concat([
    int32(index),
    int16(errorCode),
    offset,
    noTime,
    int64(0n),
    array([]),
    compactString(null),
    noTags,
  ]);
}

function answerSaslHandshake(request: WireReader, { credentials }: BrokerState, client: ClientState): Buffer {
  const signIn = MECHANISMS.get(request.string());
  client.signIn = signIn?.(credentials) ?? null;
  const known = [...MECHANISMS.keys()].flatMap((name) => [int16(name.length), Buffer.from(name)]);
  return Buffer.concat([int16(signIn ? NONE : UNSUPPORTED_SASL_MECHANISM), int32(MECHANISMS.size), ...known]);
}

function answerSaslAuthenticate(request: WireReader, _: BrokerState, { signIn }: ClientState): Buffer {
  const told = signIn?.(request.compactBytes().toString()) ?? null;
  const error = [
    int16(told === null ? SASL_AUTHENTICATION_FAILED : NONE),
    compactString(told === null ? 'denied' : null),
  ];
  return Buffer.concat([...error, compactString(told ?? ''), int64(0n), noTags]);
}

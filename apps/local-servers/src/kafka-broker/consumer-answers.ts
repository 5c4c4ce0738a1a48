import { once } from 'node:events';
import type { Api, BrokerState } from './answers.ts';
import type { PartitionLog } from './partition-log.ts';
import { type WireReader, wire } from './wire.ts';

const NONE = 0;
const OFFSET_OUT_OF_RANGE = 1;
const UNKNOWN_TOPIC_OR_PARTITION = 3;
const UNKNOWN_MEMBER_ID = 25;
const NODE_ID = 1;
/** Of the broker's only topic. */
export const TOPIC_ID: Buffer = Buffer.from('7761796269000000000000000000746f', 'hex');
const EARLIEST = -2n;
const FLEXIBLE = { request: true, response: true } as const;

const { int16, int32, int64, compactString, compactBytes, array, noTags } = wire;
const noThrottle = int32(0);

/** What a consumer asks, by the protocol's number. */
export const CONSUMER_APIS: readonly (readonly [kind: number, api: Api])[] = [
  // Its first version in which topics have ids, as the client gives them.
  [1, { version: 13, tagged: FLEXIBLE, answer: answerFetch }],
  [2, { version: 6, tagged: FLEXIBLE, answer: answerListOffsets }],
  [8, { version: 8, tagged: FLEXIBLE, answer: answerOffsetCommit }],
  [9, { version: 8, tagged: FLEXIBLE, answer: answerOffsetFetch }],
  [10, { version: 4, tagged: FLEXIBLE, answer: answerFindCoordinator }],
  [11, { version: 6, tagged: FLEXIBLE, answer: answerJoinGroup }],
  [12, { version: 4, tagged: FLEXIBLE, answer: answerHeartbeat }],
  [13, { version: 4, tagged: FLEXIBLE, answer: answerLeaveGroup }],
  [14, { version: 4, tagged: FLEXIBLE, answer: answerSyncGroup }],
];

/** Reads topics, each with partitions, in the shape that all these requests have. */
function readPartitions<T>(
  request: WireReader,
  readPartition: () => T,
  readTopic = (): string => request.compactString() ?? '',
): readonly Asked<T>[] {
  return request.array(() => {
    const topic = readTopic();
    const partitions = request.array(() => {
      const partition = readPartition();
      request.tags();
      return partition;
    });
    request.tags();
    return { topic, partitions };
  });
}

interface Asked<T> {
  readonly topic: string;
  readonly partitions: readonly T[];
}

/** Describes them in an answer, which has the same shape. */
function describe<T>(
  asked: readonly Asked<T>[],
  partition: (asked: T, topic: string) => readonly Buffer[],
  writeTopic: (topic: string) => Buffer = compactString,
): Buffer {
  const topics = asked.map(({ topic, partitions }) => {
    const described = partitions.map((one) => Buffer.concat([...partition(one, topic), noTags]));
    return Buffer.concat([writeTopic(topic), array(described), noTags]);
  });
  return array(topics);
}

async function answerFetch(request: WireReader, state: BrokerState): Promise<Buffer> {
  request.int32(); // replica
  const patience = AbortSignal.timeout(request.int32());
  request.bytes(4 + 4 + 1 + 4 + 4); // sizes, isolation and session
  const readPartition = (): { readonly index: number; readonly offset: bigint } => {
    const index = request.int32();
    request.int32(); // leader epoch
    const offset = request.int64();
    request.bytes(4 + 8 + 4); // epoch, start of the log and size
    return { index, offset };
  };
  const asked = readPartitions(request, readPartition, () => (request.bytes(16).equals(TOPIC_ID) ? state.topic : ''));
  const isThere = ({ topic, partitions }: (typeof asked)[number]): boolean =>
    partitions.some(({ index, offset }) => (logOf(state, topic, index)?.end() ?? -1n) !== offset);
  while (!patience.aborted && !asked.some(isThere))
    await once(state.appends, 'append', { signal: patience }).catch(() => undefined); // the time is over
  const described = describe(
    asked,
    ({ index, offset }, topic) => describeFetch(index, offset, logOf(state, topic, index)),
    () => TOPIC_ID,
  );
  return Buffer.concat([noThrottle, int16(NONE), int32(0), described, noTags]);
}

function describeFetch(index: number, offset: bigint, log: PartitionLog | undefined): readonly Buffer[] {
  const end = log?.end() ?? -1n;
  const outside = offset > end ? OFFSET_OUT_OF_RANGE : NONE;
  const noReplica = int32(-1);
  return [
    ...[int32(index), int16(log ? outside : UNKNOWN_TOPIC_OR_PARTITION), int64(end), int64(end), int64(0n)],
    ...[array([]), noReplica, compactBytes(log?.from(offset) ?? Buffer.alloc(0))],
  ];
}

function answerListOffsets(request: WireReader, state: BrokerState): Buffer {
  request.bytes(4 + 1); // replica and isolation
  const asked = readPartitions(request, () => {
    const index = request.int32();
    request.int32(); // leader epoch
    return { index, time: request.int64() };
  });
  const topics = describe(asked, ({ index, time }, topic) => {
    const end = logOf(state, topic, index)?.end();
    const offset = time === EARLIEST ? 0n : (end ?? -1n);
    return [
      int32(index),
      int16(end === undefined ? UNKNOWN_TOPIC_OR_PARTITION : NONE),
      int64(-1n),
      int64(offset),
      int32(0),
    ];
  });
  return Buffer.concat([noThrottle, topics, noTags]);
}

function logOf({ topic, partitions }: BrokerState, asked: string, index: number): PartitionLog | undefined {
  return asked === topic ? partitions[index] : undefined;
}

function answerFindCoordinator(request: WireReader, { host, advertisedPort }: BrokerState): Buffer {
  request.int8(); // what is coordinated
  const coordinators = request.array(() => {
    const node = [int32(NODE_ID), compactString(host), int32(advertisedPort)];
    return Buffer.concat([compactString(request.compactString()), ...node, int16(NONE), compactString(null), noTags]);
  });
  return Buffer.concat([noThrottle, array(coordinators), noTags]);
}

function answerJoinGroup(request: WireReader, { group }: BrokerState): Buffer {
  request.compactString(); // group
  request.bytes(4 + 4); // timeouts
  const { memberId, generation } = group.join(request.compactString() ?? '');
  request.compactString(); // instance
  request.compactString(); // type of protocol
  const [protocol] = request.array(() => {
    const offered = { name: request.compactString(), metadata: Buffer.from(request.compactBytes()) };
    request.tags();
    return offered;
  });
  const self = compactString(memberId);
  const member = [self, compactString(null), compactBytes(protocol?.metadata ?? Buffer.alloc(0)), noTags];
  const chosen = [int32(generation), compactString(protocol?.name ?? null)];
  return Buffer.concat([noThrottle, int16(NONE), ...chosen, self, self, array([Buffer.concat(member)]), noTags]);
}

/** What requests of members begin with: group, generation, member and instance. Gives the error that they deserve. */
function checkMember(request: WireReader, { group }: BrokerState): number {
  request.compactString();
  const generation = request.int32();
  const memberId = request.compactString() ?? '';
  request.compactString();
  return group.has(memberId, generation) ? NONE : UNKNOWN_MEMBER_ID;
}

/** The member leads, and has assigned all partitions to itself. */
function answerSyncGroup(request: WireReader, state: BrokerState): Buffer {
  const error = checkMember(request, state);
  const [assignment = Buffer.alloc(0)] = request.array(() => {
    request.compactString(); // member
    const bytes = Buffer.from(request.compactBytes());
    request.tags();
    return bytes;
  });
  return Buffer.concat([noThrottle, int16(error), compactBytes(assignment), noTags]);
}

function answerHeartbeat(request: WireReader, state: BrokerState): Buffer {
  return Buffer.concat([noThrottle, int16(checkMember(request, state)), noTags]);
}

function answerLeaveGroup(request: WireReader, { group }: BrokerState): Buffer {
  request.compactString(); // group
  const members = request.array(() => {
    const memberId = request.compactString() ?? '';
    request.compactString(); // instance
    request.tags();
    group.leave(memberId);
    return Buffer.concat([compactString(memberId), compactString(null), int16(NONE), noTags]);
  });
  return Buffer.concat([noThrottle, int16(NONE), array(members), noTags]);
}

function answerOffsetCommit(request: WireReader, state: BrokerState): Buffer {
  const error = checkMember(request, state);
  const asked = readPartitions(request, () => {
    const partition = { index: request.int32(), offset: request.int64() };
    request.int32(); // leader epoch
    request.compactString(); // metadata
    return partition;
  });
  const topics = describe(asked, ({ index, offset }) => {
    if (error === NONE) state.group.committed.set(index, offset);
    return [int32(index), int16(error)];
  });
  return Buffer.concat([noThrottle, topics, noTags]);
}

function answerOffsetFetch(request: WireReader, { group }: BrokerState): Buffer {
  const groups = request.array(() => {
    const id = request.compactString();
    const asked = request.array(() => {
      const topic = request.compactString() ?? '';
      const partitions = request.array(() => request.int32());
      request.tags();
      return { topic, partitions };
    });
    request.tags();
    const topics = describe(asked, (index) => {
      const offset = int64(group.committed.get(index) ?? -1n);
      return [int32(index), offset, int32(-1), compactString(null), int16(NONE)];
    });
    return Buffer.concat([compactString(id), topics, int16(NONE), noTags]);
  });
  return Buffer.concat([noThrottle, array(groups), noTags]);
}

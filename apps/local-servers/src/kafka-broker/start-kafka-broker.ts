import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { ServerCertificate } from '../certificate-authority.ts';
import { APIS, type BrokerState, type ClientState } from './answers.ts';
import { consumerGroup } from './group.ts';
import { partitionLog } from './partition-log.ts';
import type { KafkaRecord } from './record-batch.ts';
import { wire, wireReader } from './wire.ts';

/** A broker of one topic that speaks Kafka's protocol as far as a producer needs it, and checks what a broker checks. */
export interface KafkaBroker {
  readonly port: number;
  /** What was appended, partition by partition. */
  records(): readonly KafkaRecord[];
  forget(): void;
  /** How many produce requests have come, answered or not. */
  produceRequests(): number;
  /** Tells clients to connect elsewhere, such as to a line that can be broken. */
  advertise(port: number): void;
  /** Answers every produce with this error code, or appends again. */
  refuseProduce(errorCode: number | null): void;
  /** The largest batch taken. */
  limitBatches(bytes: number): void;
  stop(): Promise<void>;
}

/** How the broker is set up. */
export interface KafkaBrokerOptions {
  readonly topic: string;
  readonly partitions: number;
  readonly credentials: { readonly username: string; readonly password: string };
  /** With one the broker speaks TLS alone, and clients are told to connect to `localhost`. */
  readonly certificate?: ServerCertificate;
}

/** Starts a broker on a free port of 127.0.0.1. */
export async function startKafkaBroker(options: KafkaBrokerOptions): Promise<KafkaBroker> {
  const { topic, partitions, credentials, certificate } = options;
  const state: BrokerState = {
    topic,
    partitions: Array.from({ length: partitions }, partitionLog),
    host: certificate ? 'localhost' : '127.0.0.1',
    advertisedPort: 0,
    produceError: null,
    maxBatchBytes: 1_048_588, // a broker's default
    credentials,
    group: consumerGroup(),
    appends: new EventEmitter(),
    nextProducerId: 1n,
    produceRequests: 0,
  };
  const sockets = new Set<Socket>();
  const server = await serverOf(certificate, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    serve(socket, state);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  state.advertisedPort = port;

  return {
    port,
    records: () => state.partitions.flatMap(({ records }) => records),
    forget() {
      for (const partition of state.partitions) partition.forget();
    },
    produceRequests: () => state.produceRequests,
    advertise(elsewhere) {
      state.advertisedPort = elsewhere;
    },
    refuseProduce(errorCode) {
      state.produceError = errorCode;
    },
    limitBatches(bytes) {
      state.maxBatchBytes = bytes;
    },
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

async function serverOf(
  certificate: ServerCertificate | undefined,
  onConnection: (socket: Socket) => void,
): Promise<Server> {
  if (!certificate) return createServer(onConnection);
  const [cert, key] = await Promise.all([readFile(certificate.certificateFile), readFile(certificate.keyFile)]);
  return createTlsServer({ cert, key }, onConnection);
}

function serve(socket: Socket, state: BrokerState): void {
  const client: ClientState = { signIn: null };
  let received = Buffer.alloc(0);
  let answered = Promise.resolve();
  /** One after the other, also where an answer waits for something. */
  const answer = async (message: Buffer): Promise<void> => {
    const answer = await answerOf(message, state, client);
    if (answer) socket.write(Buffer.concat([wire.int32(answer.length), answer]));
    else socket.destroy(); // as a broker does with what it does not speak
  };
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 4 && received.length >= 4 + received.readInt32BE(0)) {
      const end = 4 + received.readInt32BE(0);
      const message = received.subarray(4, end);
      received = received.subarray(end);
      answered = answered.then(() => answer(message));
    }
  });
}

async function answerOf(message: Buffer, state: BrokerState, client: ClientState): Promise<Buffer | null> {
  const request = wireReader(message);
  const api = APIS.get(request.int16());
  const version = request.int16();
  const correlation = wire.int32(request.int32());
  request.string(); // client id
  if (api?.version !== version) return null;
  if (api.tagged.request) request.tags();
  const head = Buffer.concat([correlation, api.tagged.response ? wire.noTags : Buffer.alloc(0)]);
  return Buffer.concat([head, await api.answer(request, state, client)]);
}

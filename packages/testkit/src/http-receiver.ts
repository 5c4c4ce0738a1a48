import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as it arrived. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the receiver answers. */
export interface ReceiverAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Decides an answer; a promise holds it back. */
export type AnswerRequest = (request: ReceivedRequest) => ReceiverAnswer | Promise<ReceiverAnswer>;

/** A real HTTP server on a free port of 127.0.0.1 that keeps what it got. */
export interface HttpReceiver {
  readonly port: number;
  readonly url: string;
  /** Every request that arrived whole, oldest first. */
  readonly requests: readonly ReceivedRequest[];
  /** Changes how the requests to come are answered. The default is 204. */
  answerWith(answer: AnswerRequest): void;
  /** Drops the requests kept so far. */
  forget(): void;
  stop(): Promise<void>;
}

const NO_CONTENT: ReceiverAnswer = { status: 204 };

/** Starts a receiver. */
export async function startHttpReceiver(firstAnswer: AnswerRequest = () => NO_CONTENT): Promise<HttpReceiver> {
  const requests: ReceivedRequest[] = [];
  let decide = firstAnswer;
  const server = createServer((incoming, response) => {
    const respond = async (): Promise<void> => {
      const request = await read(incoming);
      requests.push(request);
      const { status, headers = {}, body = '' } = await decide(request);
      response.writeHead(status, headers).end(body);
    };
    // A client that gave up in the middle of its request is what some tests are about.
    respond().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a listening TCP server has one

  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    requests,
    answerWith(answer) {
      decide = answer;
    },
    forget() {
      requests.length = 0;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}

async function read(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) headers[name] = [value].flat().join(', ');
  return { method: incoming.method ?? '', path: incoming.url ?? '', headers, body: await text(incoming) };
}

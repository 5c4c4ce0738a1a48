import { once } from 'node:events';
import { connect } from 'node:net';
import { type KafkaMock, startKafkaMock, withProgram } from '@waybill/local-servers';
import { testMessage } from '@waybill/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kafka } from './kafka.ts';

const METADATA = 3;
const API_VERSIONS = 18;

/** The versions that a broker speaks, asked for in the oldest way: for each kind of request the first and the last. */
async function versionsOf(port: number): Promise<ReadonlyMap<number, readonly [first: number, last: number]>> {
  const socket = connect(port, '127.0.0.1');
  // Length; kind of request, version 0, number of the request, no client id.
  socket.write(Buffer.from('0000000a' + '0012' + '0000' + '00000001' + 'ffff', 'hex'));
  let answer = Buffer.alloc(0);
  while (answer.length < 4 || answer.length < 4 + answer.readInt32BE(0)) {
    const [chunk]: Buffer[] = await once(socket, 'data');
    answer = Buffer.concat([answer, chunk ?? Buffer.alloc(0)]);
  }
  socket.destroy();
  const count = answer.readInt32BE(10); // after length, number and error
  const entries = Array.from({ length: count }, (_, index) => {
    const [kind, first, last] = [14, 16, 18].map((at) => answer.readInt16BE(at + 6 * index));
    return [kind ?? -1, [first ?? -1, last ?? -1]] as const;
  });
  return new Map(entries);
}

withProgram({ test }, 'kcat', process.env, (program) => {
  describe('kafka and the mock cluster of librdkafka', () => {
    let mock: KafkaMock;
    beforeAll(async () => {
      mock = await startKafkaMock(program);
    });
    afterAll(() => mock.stop());

    test('T01: a broker whose versions the client does not speak is a retry, and says why', async () => {
      const transport = kafka({ brokers: [`127.0.0.1:${mock.port}`], topic: 'orders' });
      const context = { signal: new AbortController().signal, deadline: performance.now() + 60_000 };
      const expected = { class: 'unsupported-broker' };
      expect(await transport.publish([testMessage()], context)).toMatchObject([{ outcome: 'retry', ...expected }]);
      expect(await transport.probe(context.signal)).toMatchObject({ status: 'unreachable', ...expected });
      await transport.close();
    });

    // When this fails, the mock has learned what the client needs, and can be put to more use.
    test('T01: the mock lacks the versions of two requests that the client begins with', async () => {
      const versions = await versionsOf(mock.port);
      expect(versions.get(API_VERSIONS)).toEqual([0, 2]); // the client asks with version 3, and does not fall back
      expect(versions.get(METADATA)).toEqual([0, 2]); // the client speaks 9 to 12
    });
  });
});

import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { natsJetStream } from '@waybill/transports/nats-jetstream';
import { type Broker, type BrokerAddress, IN_FLIGHT, TYPE } from './broker.ts';

const STREAM = 'BENCH';

function open({ port, user, password }: BrokerAddress): Promise<NatsConnection> {
  return connect({ servers: `127.0.0.1:${port}`, user, pass: password });
}

export const natsBroker: Broker = {
  async prepare(address) {
    const connection = await open(address);
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: STREAM, subjects: [TYPE] });
    await manager.streams.purge(STREAM);
    await connection.close();
  },
  transport: ({ port, user, password }) =>
    natsJetStream({ servers: [`127.0.0.1:${port}`], stream: STREAM, credentials: { user, pass: password } }),
  async openDirect(address) {
    const connection = await open(address);
    const client = jetstream(connection);
    return {
      atOnce: IN_FLIGHT,
      inBatches: false,
      async publish(messages) {
        await Promise.all(messages.map(({ id, body }) => client.publish(TYPE, body, { msgID: id })));
      },
      close: () => connection.close(),
    };
  },
  async held(address) {
    const connection = await open(address);
    const { state } = await (await jetstreamManager(connection)).streams.info(STREAM);
    await connection.close();
    return state.messages;
  },
};

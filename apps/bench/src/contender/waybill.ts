import { migrate, openStore } from '@waybill/store';
import { connectPg, enqueue, enqueueMany } from '@waybill/store/pg';
import type { ClientBase } from 'pg';
import { OrderPlaced } from '../load/contract.ts';
import type { Sample } from '../load/sample.ts';
import type { Contender } from './contender.ts';

/** Consumed by the program `waybill run` with `main-waybill.config.ts`. */
export const waybill: Contender = {
  async setUp(url) {
    const database = connectPg({ url });
    await migrate(openStore(database));
    await database.close();
  },
  openProducer: () =>
    Promise.resolve({
      enqueue: (client, sample) => enqueue(client, OrderPlaced, sample, { recordKey: sample.key }),
      fill: (client, samples) => fill(client, samples, {}),
      fillLater: (client, samples) => fill(client, samples, { dueAt: FAR_AWAY }),
      close: () => Promise.resolve(),
    }),
};

/** Beyond every run of the benchmark. */
const FAR_AWAY = new Date('2100-01-01T00:00:00Z');

async function fill(client: ClientBase, samples: readonly Sample[], when: { readonly dueAt?: Date }): Promise<void> {
  await enqueueMany(
    client,
    samples.map((sample) => ({ message: OrderPlaced, payload: sample, options: { ...when, recordKey: sample.key } })),
  );
}

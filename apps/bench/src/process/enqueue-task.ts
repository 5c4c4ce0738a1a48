import pg, { type Client } from 'pg';
import type { Producer } from '../contender/contender.ts';
import { type ContenderName, loadContender } from '../contender/contenders.ts';
import { type Sample, sampleOf } from '../load/sample.ts';
import type { EnqueueTimes, Entrant, Task } from './task.ts';

type Write = (client: Client, sample: Sample) => Promise<unknown>;

interface OpenEntrant {
  readonly name: string;
  readonly clients: readonly Client[];
  readonly write: Write;
  readonly close: () => Promise<void>;
}

/** One transaction of a service: a row of its own, and a message. */
const BUSINESS_ROW = 'insert into business (n, total) values ($1, $2)';

/** Compares entrants in turns of a round each (A B C A B C ...), so that whatever slows the machine slows all of them. */
export async function compareEnqueue(
  { entrants, connections, rounds, perRound, bytes }: Extract<Task, { kind: 'enqueue' }>,
  now: () => number,
): Promise<EnqueueTimes> {
  const open = await Promise.all(entrants.map((entrant) => openEntrant(entrant, connections)));
  const times = new Map<string, number[]>(open.map(({ name }) => [name, []]));
  let n = 0;
  // The first round warms plans and code up, and does not count.
  for (let round = 0; round <= rounds; round += 1) {
    for (const entrant of open) {
      const startedAt = now();
      await Promise.all(entrant.clients.map((client) => transactions(client, entrant.write)));
      const perTransaction = ((now() - startedAt) * connections) / perRound;
      if (round > 0) times.get(entrant.name)?.push(perTransaction);
    }
  }
  await Promise.all(open.map(({ close }) => close()));
  return Object.fromEntries(times);

  async function transactions(client: Client, write: Write): Promise<void> {
    for (let count = 0; count < perRound / connections; count += 1) {
      n += 1;
      const sample = sampleOf({ n, key: `Order/${n % 1_000}`, step: 0 }, bytes);
      await client.query('begin');
      await client.query(BUSINESS_ROW, [n, n]);
      await write(client, sample);
      await client.query('commit');
    }
  }
}

async function openEntrant({ name, url }: Entrant, connections: number): Promise<OpenEntrant> {
  const clients = Array.from({ length: connections }, () => new pg.Client({ connectionString: url }));
  await Promise.all(clients.map((client) => client.connect()));
  const producer = await producerOf(name, url);
  const close = async (): Promise<void> => {
    await producer?.close();
    await Promise.all(clients.map((client) => client.end()));
  };
  return { name, clients, close, write: writeOf(name, producer) };
}

function producerOf(name: Entrant['name'], url: string): Promise<Producer | undefined> {
  return isContender(name)
    ? loadContender(name).then((contender) => contender.openProducer(url))
    : Promise.resolve(undefined);
}

function isContender(name: Entrant['name']): name is ContenderName {
  return name !== 'nothing' && name !== 'bare';
}

function writeOf(name: Entrant['name'], producer: Producer | undefined): Write {
  if (producer !== undefined) return (client, sample) => producer.enqueue(client, sample);
  if (name === 'nothing') return () => Promise.resolve();
  return (client, sample) =>
    client.query('insert into bare (record_key, payload) values ($1, $2)', [sample.key, JSON.stringify(sample)]);
}

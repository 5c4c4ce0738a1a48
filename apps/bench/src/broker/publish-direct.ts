import { type Load, samplesOf } from '../load/sample.ts';
import type { BrokerAddress, DirectMessage, DirectPublisher } from './broker.ts';
import { loadBroker } from './brokers.ts';

/**
 * How the broker's own client is used. `in-order` promises what we promise: a message goes after the acknowledgement of the one before it of its key.
 * `pipelined` does not wait: after a failure in the middle, later messages of a key are there and earlier ones are not.
 */
export type DirectMode = 'in-order' | 'pipelined';

/** Publishes a load with the broker's own client. Gives messages a second, from the first that goes to the last that is acknowledged. */
export async function publishDirect(
  { address, load, mode }: { readonly address: BrokerAddress; readonly load: Load; readonly mode: DirectMode },
  now: () => number,
): Promise<number> {
  const messages = samplesOf(load, 0, load.count).map((sample) => ({
    id: `direct-${mode}-${sample.n}`,
    key: sample.key,
    body: Buffer.from(JSON.stringify(sample)),
  }));
  const publisher = await (await loadBroker(address.broker)).openDirect(address);
  // Connects, and makes the client look up what it looks up once.
  await publisher.publish(messages.slice(0, 1));
  const startedAt = now();
  if (publisher.inBatches) await inBatches(publisher, messages);
  else await inLanes(publisher, messages, mode);
  const seconds = (now() - startedAt) / 1_000;
  await publisher.close();
  return load.count / seconds;
}

async function inBatches(publisher: DirectPublisher, messages: readonly DirectMessage[]): Promise<void> {
  for (let from = 0; from < messages.length; from += publisher.atOnce)
    await publisher.publish(messages.slice(from, from + publisher.atOnce));
}

/** Several lanes, each of which sends one message after the other; a key stays in its lane where order is asked for. */
async function inLanes(
  publisher: DirectPublisher,
  messages: readonly DirectMessage[],
  mode: DirectMode,
): Promise<void> {
  const next = mode === 'pipelined' ? shared(messages) : byKey(messages, publisher.atOnce);
  await Promise.all(
    Array.from({ length: publisher.atOnce }, async (_, lane) => {
      for (let message = next(lane); message !== undefined; message = next(lane)) await publisher.publish([message]);
    }),
  );
}

type NextOfLane = (lane: number) => DirectMessage | undefined;

function shared(messages: readonly DirectMessage[]): NextOfLane {
  let at = 0;
  return () => messages[at++];
}

function byKey(messages: readonly DirectMessage[], count: number): NextOfLane {
  const lanes: DirectMessage[][] = Array.from({ length: count }, () => []);
  const laneOf = new Map<string, number>();
  for (const message of messages) {
    const lane = laneOf.get(message.key) ?? laneOf.size % count;
    laneOf.set(message.key, lane);
    lanes[lane]?.push(message);
  }
  const places = lanes.map(() => 0);
  return (lane) => {
    const place = places[lane] ?? 0;
    places[lane] = place + 1;
    return lanes[lane]?.[place];
  };
}

import type { Channel, ChannelModel } from 'amqplib';
import { replyCode } from './classify-failure.ts';

/** What is looked at. */
export interface Topology {
  readonly exchange: string;
  readonly queues: readonly string[];
}

const NOT_FOUND = 404;
const PRECONDITION_FAILED = 406;

/** What of the exchange and the queues would lose messages that were confirmed, in words for an operator. */
export async function inspectTopology(
  connection: ChannelModel,
  { exchange, queues }: Topology,
): Promise<readonly string[]> {
  const warnings = [await inspectExchange(connection, exchange)];
  for (const queue of queues) warnings.push(await inspectQueue(connection, queue));
  return warnings.filter((warning) => warning !== null);
}

/**
 * AMQP has no way of reading a property. But to declare what is there with another property fails, and tells which one differs:
 * that changes nothing, as the thing was seen to be there just before.
 */
async function inspectQueue(connection: ChannelModel, queue: string): Promise<string | null> {
  const missing = await errorOf(connection, (channel) => channel.checkQueue(queue));
  if (replyCode(missing) === NOT_FOUND) return `queue ${queue} does not exist: what is meant for it is lost or refused`;
  if (missing) return `queue ${queue} cannot be looked at: reply code ${replyCode(missing) ?? 'unknown'}`;
  const differs = await errorOf(connection, (channel) => channel.assertQueue(queue, { durable: true }));
  return isTransient(differs)
    ? `queue ${queue} is not durable: a restart of the broker loses it with its messages`
    : null;
}

async function inspectExchange(connection: ChannelModel, exchange: string): Promise<string | null> {
  // The server's own exchanges are durable, and cannot be declared.
  if (exchange === '' || exchange.startsWith('amq.')) return null;
  let differs = await errorOf(connection, (channel) => channel.assertExchange(exchange, 'topic', { durable: true }));
  const type = /arg 'type'.*current is '([^']+)'/.exec(String(differs))?.[1];
  if (type !== undefined)
    differs = await errorOf(connection, (channel) => channel.assertExchange(exchange, type, { durable: true }));
  return isTransient(differs)
    ? `exchange ${exchange} is not durable: after a restart of the broker every message is unroutable`
    : null;
}

function isTransient(error: unknown): boolean {
  return replyCode(error) === PRECONDITION_FAILED && String(error).includes("arg 'durable'");
}

/** Runs `work` on a channel of its own, since the server answers a failure by closing the channel. */
async function errorOf(connection: ChannelModel, work: (channel: Channel) => Promise<unknown>): Promise<unknown> {
  const channel = await connection.createChannel();
  channel.on('error', () => undefined);
  try {
    await work(channel);
  } catch (error) {
    return error;
  }
  await channel.close();
  return null;
}

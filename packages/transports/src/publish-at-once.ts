import type { TransportOutcome } from '@waybill/contracts';
import { gate, lanes, notSent, type PublishLimits } from './publish-in-order.ts';
import type { OutgoingMessage } from './transport.ts';

/** Sends messages as one unit, in the order given, and tells what became of each. */
export type SendAll = (messages: readonly OutgoingMessage[]) => Promise<readonly TransportOutcome[]>;

/**
 * Sends the part of a batch that may be sent as one unit: of each record key everything before its first message that must not go.
 *
 * @returns one outcome per message, in the order of the batch.
 */
export async function publishAtOnce(
  batch: readonly OutgoingMessage[],
  limits: PublishLimits,
  sendAll: SendAll,
): Promise<readonly TransportOutcome[]> {
  const outcomes = new Map<OutgoingMessage, TransportOutcome>();
  const stopped = new Set<OutgoingMessage>();
  for (const lane of lanes(batch)) {
    const stop = lane.findIndex((message) => {
      const outcome = gate(message, limits);
      if (outcome) outcomes.set(message, outcome);
      return outcome !== null;
    });
    if (stop >= 0) for (const message of lane.slice(stop)) stopped.add(message);
  }
  const going = batch.filter((message) => !stopped.has(message));
  const sent = going.length > 0 ? await sendAll(going) : [];
  for (const [index, message] of going.entries()) {
    const outcome = sent[index];
    if (outcome) outcomes.set(message, outcome);
  }
  return batch.map(
    (message) => outcomes.get(message) ?? notSent('an earlier message of its record key was not accepted'),
  );
}

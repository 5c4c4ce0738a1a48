import type { TransportOutcome } from '@waybill/contracts';
import type { PublishWindow } from './publish-window.ts';
import { NOT_SENT, type OutgoingMessage } from './transport.ts';

/** Sends one message and tells what became of it. */
export type SendOne = (message: OutgoingMessage) => Promise<TransportOutcome>;

/** Limits of one publish. */
export interface PublishLimits {
  readonly window: PublishWindow;
  readonly maxBytes: number;
}

/**
 * Sends a batch one message at a time within a record key and all keys side by side.
 *
 * @returns one outcome per message, in the order of the batch.
 */
export async function publishInOrder(
  batch: readonly OutgoingMessage[],
  limits: PublishLimits,
  send: SendOne,
): Promise<readonly TransportOutcome[]> {
  const outcomes = new Map<OutgoingMessage, TransportOutcome>();
  await Promise.all(
    lanes(batch).map(async (lane) => {
      for (const message of lane) {
        const outcome = gate(message, limits) ?? (await send(message));
        outcomes.set(message, outcome);
        if (outcome.outcome !== 'accepted') return;
      }
    }),
  );
  return batch.map(
    (message) => outcomes.get(message) ?? notSent('an earlier message of its record key was not accepted'),
  );
}

/** The messages of one record key after the other; a message without a key is a lane of its own. */
export function lanes(batch: readonly OutgoingMessage[]): readonly (readonly OutgoingMessage[])[] {
  const keyed = new Map<string, OutgoingMessage[]>();
  const unkeyed: OutgoingMessage[][] = [];
  for (const message of batch) {
    const lane = keyed.get(message.recordKey);
    if (message.recordKey === '') unkeyed.push([message]);
    else if (lane) lane.push(message);
    else keyed.set(message.recordKey, [message]);
  }
  return [...keyed.values(), ...unkeyed];
}

/** The outcome of a message that must not be sent now, or null when it may go. */
export function gate(message: OutgoingMessage, { window, maxBytes }: PublishLimits): TransportOutcome | null {
  const end = window.ended();
  if (end) return notSent(end === 'deadline' ? 'the deadline had passed' : 'the publish was aborted');
  const bytes = Buffer.byteLength(message.body);
  if (bytes <= maxBytes) return null;
  return { outcome: 'refused', class: 'too-large', detail: `the body has ${bytes} bytes, the limit is ${maxBytes}` };
}

/** The outcome of a message that never left. */
export function notSent(detail: string): TransportOutcome {
  return { outcome: 'retry', class: NOT_SENT, detail };
}

import { type ConnectedPort, type ConnectedSettings, connectedTransport } from './connected-transport.ts';
import { gatheringSender, type UnitResult } from './gathering-sender.ts';
import { publishAtOnce } from './publish-at-once.ts';
import type { OutgoingMessage, Transport } from './transport.ts';

/** What a target that takes many messages in one exchange brings. */
export interface BatchPort<C> extends ConnectedPort<C> {
  /** Hands over messages as one unit, in the order given. A rejection counts as `unknown` for all of them. */
  sendUnit(connection: C, messages: readonly OutgoingMessage[]): Promise<UnitResult>;
}

/**
 * Makes a transport of a port that sends many messages at once. One unit is on its way at a time; what publishes hand in
 * meanwhile goes with the next one, so that many publishes of one message each are as good as one of many.
 */
export function batchTransport<C>(settings: ConnectedSettings, port: BatchPort<C>): Transport {
  const { maxBatch, maxBytes } = settings.capabilities;
  return connectedTransport(settings, port, (shared) => {
    const sender = gatheringSender(shared, port, { maxBatch, maxBytes });
    return ({ batch, window }) =>
      publishAtOnce(batch, { window, maxBytes }, (messages) => sender.send(messages, window));
  });
}

import type { AnyMessage } from '@waybill/contracts';
import type { Transport } from '@waybill/transports';
import type { PublishRoute } from './route.ts';

export interface PublishOptions<M extends AnyMessage> {
  readonly to: Transport;
  /** Pins the version that the target gets, whatever the writer wrote. Without it the target gets the stored bytes. */
  readonly publishAs?: keyof M['versions'] & number;
}

/**
 * Publishes a message type over a transport: the only way of an integration event, and open to a command or an effect that somebody else carries out.
 *
 * @example publish(OrderPlaced, { to: httpWebhook({ url, secrets }), publishAs: 1 })
 */
export function publish<M extends AnyMessage>(message: M, options: PublishOptions<M>): PublishRoute {
  return Object.freeze({ via: 'publish', message, to: options.to, publishAs: options.publishAs ?? null });
}

import type { AnyMessage, Idempotency, PayloadOf } from '@waybill/contracts';
import type { CallContext, CallRoute, HandlerResult } from './route.ts';
import type { ScopedOut } from './scoped-out.ts';

export interface CallOptions {
  /** What a repeat of this handler's effect does. Left out: what the contract of the message says. */
  readonly idempotency?: Idempotency;
  readonly scopedOut?: ScopedOut;
}

/**
 * Handles a message type with a function that works over the network: an API of a provider, a command boundary.
 * For journey-step commands, and for effects at a provider, whose contract says what a repeat does; an integration event is published.
 * There is no time limit; the lease is renewed for as long as the function runs. A thrown error is a failed attempt.
 *
 * @example call(SendInvoice, async (invoice, { message, signal }) => { await mail.send(invoice, { idempotencyKey: message.id, signal }); })
 */
export function call<M extends AnyMessage>(
  message: M,
  handler: (payload: PayloadOf<M>, context: CallContext) => HandlerResult | Promise<HandlerResult>,
  { idempotency, scopedOut }: CallOptions = {},
): CallRoute {
  return Object.freeze({
    via: 'call',
    message,
    handler,
    idempotency: idempotency ?? message.idempotency,
    scopedOut: scopedOut ?? null,
  });
}

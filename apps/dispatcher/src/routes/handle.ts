import type { AnyMessage, PayloadOf } from '@waybill/contracts';
import type { HandleContext, HandleRoute, HandlerResult } from './route.ts';
import type { ScopedOut } from './scoped-out.ts';

/** Longer than a healthy transaction holds a row, short enough that a worker is free again before anybody asks why. */
const DEFAULT_LOCK_TIMEOUT_MS = 5_000;

export interface HandleOptions {
  /** How long a statement of the handler may wait for a lock before the attempt counts as failed. Milliseconds, at least 1. */
  readonly lockTimeoutMs?: number;
  readonly scopedOut?: ScopedOut;
}

/**
 * Handles a message type with a function whose effects are in the outbox's own database. Effects and settlement commit together or not at all,
 * so a crash or a lost lease leaves no effect behind. For journey-step commands alone: an integration event is published, and a provider takes
 * nothing back when the transaction is rolled back. A thrown error rolls the effects back and is a failed attempt.
 *
 * @example handle(WriteInvoice, async (order, { tx }) => { await tx.query('insert into invoice (order_id) values ($1)', [order.id]); })
 */
export function handle<M extends AnyMessage>(
  message: M,
  handler: (payload: PayloadOf<M>, context: HandleContext) => HandlerResult | Promise<HandlerResult>,
  options: HandleOptions = {},
): HandleRoute {
  return Object.freeze({
    via: 'handle',
    message,
    handler,
    lockTimeoutMs: options.lockTimeoutMs ?? DEFAULT_LOCK_TIMEOUT_MS,
    scopedOut: options.scopedOut ?? null,
  });
}

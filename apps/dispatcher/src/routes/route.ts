import type { AnyMessage, Idempotency, PayloadOf, TransportOutcome } from '@waybill/contracts';
import type { Enqueued, EnqueueOptions } from '@waybill/store';
import type { Transport } from '@waybill/transports';
import type { PoolClient } from 'pg';
import type { HandledMessage } from './handled-message.ts';
import type { ScopedOut } from './scoped-out.ts';

/** What a handler may end with; nothing at all means accepted. */
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- a handler that ends without a value is the ordinary case, and only void describes it.
export type HandlerResult = TransportOutcome | void;

/** Writes a further message in the attempt's own transaction, so that it exists exactly if the effects of the handler do. */
export type EnqueueHere = <M extends AnyMessage>(
  message: M,
  payload: PayloadOf<M>,
  options?: EnqueueOptions,
) => Promise<Enqueued>;

export interface CallContext {
  readonly message: HandledMessage;
  /** Fires when the lease is lost or the program is told to stop at once. Whoever goes on working after that works beside somebody else. */
  readonly signal: AbortSignal;
}

export interface HandleContext extends CallContext {
  /** The connection of the attempt's transaction. Usable until the handler ends; the transaction's begin and end are not the handler's. */
  readonly tx: PoolClient;
  readonly enqueue: EnqueueHere;
}

/** Handed to a transport; no transaction is open meanwhile. */
export interface PublishRoute {
  readonly via: 'publish';
  readonly message: AnyMessage;
  readonly to: Transport;
  /** The version that the target gets; null: the stored one, byte for byte. */
  readonly publishAs: number | null;
}

/** Handled by a function here that talks to something else than this database; no transaction is open meanwhile. */
export interface CallRoute {
  readonly via: 'call';
  readonly message: AnyMessage;
  /** The payload is of the type that the constructor checked; the reader guarantees it at run time. */
  readonly handler: (payload: never, context: CallContext) => HandlerResult | Promise<HandlerResult>;
  /** What a repeat of the effect does; null: nobody has said. */
  readonly idempotency: Idempotency | null;
  readonly scopedOut: ScopedOut | null;
}

/** Handled by a function here whose effects are in this database: they and the settlement commit together. */
export interface HandleRoute {
  readonly via: 'handle';
  readonly message: AnyMessage;
  /** See {@link CallRoute.handler}. */
  readonly handler: (payload: never, context: HandleContext) => HandlerResult | Promise<HandlerResult>;
  /** How long a statement of the handler may wait for a lock. */
  readonly lockTimeoutMs: number;
  readonly scopedOut: ScopedOut | null;
}

/** Where the records of one message type go. */
export type Route = PublishRoute | CallRoute | HandleRoute;

import type { Kind, TransportOutcome } from '@waybill/contracts';

/** A message as it leaves: everything that a target may need to route it, to tell repeats and to keep the order. */
export interface OutgoingMessage {
  /** UUID of the message; the same on every attempt and replay, so a consumer can tell repeats by it. */
  readonly id: string;
  readonly type: string;
  readonly kind: Kind;
  /** Version of the schema that `body` follows. */
  readonly version: number;
  readonly occurredAt: Date;
  readonly tenant: string | null;
  /** Messages with the same key are delivered in order. The empty string: no key, no order. */
  readonly recordKey: string;
  /** Id of the Event record that an integration event cites. */
  readonly event: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. A transport sends exactly these characters as UTF-8, since a consumer may have signed or hashed them. */
  readonly body: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Grows with every lease of the record (a decimal string), for targets that can refuse a late sender. */
  readonly fence: string;
}

/** When sending has to stop. */
export interface PublishContext {
  /** Fires when the lease is lost or the program stops. */
  readonly signal: AbortSignal;
  /** Milliseconds on the transport's monotonic clock (`performance.now()` by default). */
  readonly deadline: number;
}

/** What a target can do. Data, so that a caller plans by it and never by a vendor's name. */
export interface TransportCapabilities {
  /** Whether the target itself drops a repeated id: never, within one connection, or within a window of time. */
  readonly dedup: 'none' | 'session' | 'window';
  readonly dedupWindowMs: number | null;
  /** `record-key`: what was accepted in order for a key is also handed to consumers in that order. */
  readonly ordering: 'none' | 'record-key';
  /** The most messages worth giving to one `publish`. */
  readonly maxBatch: number;
  /** Whether a batch can be accepted in part. */
  readonly partialResults: boolean;
  /** The largest body in bytes; a larger one is refused with class `too-large` and not sent. */
  readonly maxBytes: number;
}

/** What a look at the target found; never more than a snapshot. */
export type ProbeResult =
  | {
      readonly status: 'reachable';
      /** Settings of the target that weaken a guarantee, in words for an operator. */
      readonly warnings: readonly string[];
    }
  | { readonly status: 'unreachable'; readonly class: string; readonly detail?: string };

/**
 * The port to a target outside the store.
 *
 * An implementation neither retries nor queues on its own: every retry is the dispatcher's, which alone knows
 * whether it still holds the lease.
 */
export interface Transport {
  /** The destination's name in logs and metrics. */
  readonly name: string;
  readonly capabilities: TransportCapabilities;
  /**
   * Hands messages to the target and resolves to one outcome per message, in the order of `batch`.
   *
   * - `accepted` means that the target has the message.
   * - Within a record key the messages go one after the other; the first that is not accepted stops its key, and only its key.
   *   Where a target takes several in one exchange, and all or none of them, they share its outcome.
   * - Nothing is sent once the deadline has passed or the signal has fired.
   * - A message that was not sent at all comes back as `retry` of class {@link NOT_SENT}: that was no attempt.
   *
   * @throws TransportError `TRN_CLOSED` after `close`.
   */
  publish(batch: readonly OutgoingMessage[], context: PublishContext): Promise<readonly TransportOutcome[]>;
  /** Looks whether the target can be reached, without leaving anything there. */
  probe(signal: AbortSignal): Promise<ProbeResult>;
  /** Waits for the publishes under way, then gives up connections. A second call changes nothing. */
  close(): Promise<void>;
}

/** Class of a `retry` whose message never left: the key stopped before it, or sending was over. */
export const NOT_SENT = 'not-sent';

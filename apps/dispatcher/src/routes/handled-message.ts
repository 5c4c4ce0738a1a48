import type { Kind } from '@waybill/contracts';

/** The envelope that a handler gets beside the payload. */
export interface HandledMessage {
  /** The same on every attempt and replay: what a handler makes a repeat harmless by. */
  readonly id: string;
  readonly kind: Kind;
  readonly type: string;
  /** The version that the writer wrote; the payload has the newest shape. */
  readonly writtenVersion: number;
  readonly occurredAt: Date;
  /** When it was stored, by the database's clock: how old it is. */
  readonly enqueuedAt: Date;
  readonly tenant: string | null;
  /** The empty string: no key, no order. */
  readonly recordKey: string;
  readonly event: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Place in the outbox (a decimal string); it grows along a record key. */
  readonly position: string;
  /** 1 is the first attempt. */
  readonly attempt: number;
  /** Grows with every lease (a decimal string): lets a target refuse a late sender. */
  readonly fence: string;
}

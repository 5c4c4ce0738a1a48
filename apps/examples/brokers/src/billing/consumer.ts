import type { Pool } from 'pg';
import type { Billing } from './billing.ts';

/** Where the messages come from. */
export interface Source {
  /** Of the broker, without user and password. */
  readonly url: string;
  readonly user: string;
  /** Of the user; for webhooks the secret that signs. */
  readonly password: string;
}

/** What a consumer works with. */
export interface ConsumerParts {
  readonly billing: Billing;
  readonly pool: Pool;
  readonly source: Source;
  /** Told once messages are being received. */
  readonly onReady: (where: string) => void;
}

/**
 * Receives messages one after the other until it fails. What was not acknowledged then comes again when the program is started anew, in order.
 */
export type Consume = (parts: ConsumerParts) => Promise<void>;

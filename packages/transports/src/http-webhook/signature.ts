import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
// What Standard Webhooks asks of a symmetric secret.
const SECRET_BYTES = { min: 24, max: 64 };

/** What a secret has to look like, for error messages. */
export const SECRET_FORM: string = `${SECRET_PREFIX} followed by base64 of ${SECRET_BYTES.min} to ${SECRET_BYTES.max} bytes`;

/** What is signed: the exact body sent, bound to the message and to the time of this attempt. */
export interface SignedContent {
  readonly id: string;
  /** Whole seconds since 1970, as in the `webhook-timestamp` header. */
  readonly timestampSeconds: number;
  readonly body: string;
}

/** The key in a `whsec_` secret, or null when it is none. */
export function parseSecret(secret: unknown): Buffer | null {
  if (typeof secret !== 'string' || !secret.startsWith(SECRET_PREFIX)) return null;
  const encoded = secret.slice(SECRET_PREFIX.length);
  if (!BASE64.test(encoded)) return null;
  const key = Buffer.from(encoded, 'base64');
  return key.length >= SECRET_BYTES.min && key.length <= SECRET_BYTES.max ? key : null;
}

/** The `webhook-signature` header: one signature per key, so that a receiver may hold the old or the new secret while they rotate. */
export function sign(keys: readonly Buffer[], { id, timestampSeconds, body }: SignedContent): string {
  return keys
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64')}`)
    .join(' ');
}

import { createHash } from 'node:crypto';
import { ContractError } from '../contract-error.ts';
import { ASSERTED_FORMATS } from '../validation/formats.ts';
import { isSchemaObject } from '../validation/plain-schema.ts';

/** What the lock keeps of a frozen version. `revision` counts compatible edits in place, so that each is visible in a review. */
export interface LockedVersion {
  readonly sha256: string;
  readonly revision: number;
}

/** A version that is no longer read, with the hash of the evidence, and the member paths that ended with it, which must not come back with another meaning. */
export interface RetiredVersion {
  readonly evidenceSha256: string;
  readonly members: readonly string[];
}

export interface LockedMessage {
  readonly versions: Readonly<Record<string, LockedVersion>>;
  readonly retired: Readonly<Record<string, RetiredVersion>>;
}

/** `messages/lock.json`. The formats are pinned here, since what they assert decides what is valid. */
export interface Lock {
  readonly schema: 'waybill.lock/v1';
  readonly dialect: string;
  readonly formats: readonly string[];
  readonly messages: Readonly<Record<string, LockedMessage>>;
}

export const LOCK_FILE = 'messages/lock.json';

export const EMPTY_LOCK: Lock = {
  schema: 'waybill.lock/v1',
  dialect: 'https://json-schema.org/draft/2020-12/schema',
  formats: ASSERTED_FORMATS,
  messages: {},
};

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** @throws ContractError `CTR_INPUT_UNREADABLE` for a lock of another form. */
export function lockOf(value: unknown, name: string): Lock {
  const plausible = isSchemaObject(value) && value['schema'] === 'waybill.lock/v1' && isSchemaObject(value['messages']);
  if (!plausible || !Object.values(value['messages'] as object).every(isLockedMessage))
    throw new ContractError('CTR_INPUT_UNREADABLE', `${name}: is no lock of waybill-contracts`);
  // Checked above, member by member where it is used.
  return value as unknown as Lock;
}

function isLockedMessage(value: unknown): boolean {
  return isSchemaObject(value) && isSchemaObject(value['versions']) && isSchemaObject(value['retired']);
}

export function lockText(lock: Lock): string {
  const messages = Object.entries(lock.messages).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify({ ...lock, messages: Object.fromEntries(messages) }, null, 2)}\n`;
}

/** The lock with one message replaced. */
export function withMessage(lock: Lock, type: string, message: LockedMessage): Lock {
  return { ...lock, messages: { ...lock.messages, [type]: message } };
}

export const NO_VERSIONS: LockedMessage = { versions: {}, retired: {} };

export function isRetired(lock: Lock, type: string, version: number): boolean {
  return lock.messages[type]?.retired[version] !== undefined;
}

/** What to do about a retired version that the code still has. */
export const RETIRED = 'is retired; remove it from the versions of the message, with its upcast';

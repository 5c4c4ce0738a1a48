import { type AnyMessage, type WhenUnreadable, writableVersions } from '@waybill/contracts';

import { ceilingOf } from './ramp.ts';
import type { Blocker, Standing, TypeStanding } from './standing.ts';

/** Why the newest version of a message may not be written. */
export type WriteRefusal =
  | { readonly why: 'retired' }
  /** An operator holds the type at an older version. */
  | { readonly why: 'pinned'; readonly ceiling: number }
  | { readonly why: 'unreadable'; readonly blockers: readonly Blocker[] };

export type WriteDecision = { readonly version: number } | { readonly refused: WriteRefusal };

/**
 * Decides which version of a message is written: the newest one that nothing stands against and that the policy allows. Down to which version a
 * payload can be brought is the contract's matter. Without a standing nothing is known against the newest version.
 */
export function decideVersion(
  message: AnyMessage,
  key: string,
  policy: WhenUnreadable,
  standing: TypeStanding | undefined,
): WriteDecision {
  if (standing === undefined) return { version: message.newest };
  const ceiling = ceilingOf(standing.pin, key);
  const allows = (version: number): boolean => refusalOf(version, ceiling, policy, standing) === null;
  const version = candidates(message, policy).find(allows);
  if (version !== undefined) return { version };
  return { refused: refusalOf(message.newest, ceiling, policy, standing) ?? { why: 'pinned', ceiling } };
}

const candidates = (message: AnyMessage, policy: WhenUnreadable): readonly number[] =>
  policy === 'downcast' ? writableVersions(message) : [message.newest];

const UNKNOWN: Standing = { retired: false, overridden: false, blockers: [] };

function refusalOf(
  version: number,
  ceiling: number,
  policy: WhenUnreadable,
  { versions }: TypeStanding,
): WriteRefusal | null {
  const { retired, overridden, blockers } = versions.get(version) ?? UNKNOWN;
  if (retired) return { why: 'retired' };
  if (version > ceiling) return { why: 'pinned', ceiling };
  if (blockers.length === 0 || (policy === 'write-anyway' && overridden)) return null;
  return { why: 'unreadable', blockers };
}

import { StoreError } from '../errors.ts';
import type { Pin, VersionName } from '../rollout/standing.ts';
import { insertOverride } from '../statements/reader-declare.ts';
import { deletePin, lockPin, raiseRevisions, writePin } from '../statements/version-pin.ts';
import type { Store } from '../store.ts';
import { type OperatorOptions, operate } from './audit.ts';
import { checkExpiry } from './expiry.ts';
import type { Operator } from './operator.ts';

/**
 * Holds the written version of a type: keys whose place is below `percent` are written up to `version`, the others up to the one before it. A pin never
 * lifts a version above what the running builds read. It holds from its commit on, in every program that writes.
 */
export async function pinVersion<Native>(
  store: Store<Native>,
  { type, version, percent = 100 }: VersionName & { readonly percent?: number },
  by: Operator,
  options: OperatorOptions<Native> = {},
): Promise<{ readonly before: Pin | null }> {
  if (!Number.isInteger(version) || version < 1)
    throw new StoreError('STO_INVALID_OPTION', 'version: expected a whole number from 1');
  if (!Number.isInteger(percent) || percent < 0 || percent > 100)
    throw new StoreError('STO_INVALID_OPTION', 'percent: expected a whole number from 0 to 100');
  return operate(store, by, options, async ({ tx, record }) => {
    const before = await lockPin(tx, store, type);
    await writePin(tx, store, { type, version, percent, ...by });
    await raiseRevisions(tx, store, [type]);
    await record({
      action: 'pin-version',
      what: { messages: [], selection: { type } },
      before,
      after: { version, percent },
    });
    return { before };
  });
}

/** Takes a pin away. Writers find out within seconds. */
export async function unpinVersion<Native>(
  store: Store<Native>,
  type: string,
  by: Operator,
  options: OperatorOptions<Native> = {},
): Promise<{ readonly before: Pin | null }> {
  return operate(store, by, options, async ({ tx, record }) => {
    const before = await lockPin(tx, store, type);
    if (before === null) return { before };
    await deletePin(tx, store, type);
    await raiseRevisions(tx, store, [type]);
    await record({ action: 'unpin-version', what: { messages: [], selection: { type } }, before, after: {} });
    return { before };
  });
}

/** Lets writers that ask for it (`whenUnreadable: 'write-anyway'`) write a version that somebody cannot read, until a time by the database's clock. */
export async function allowWrites<Native>(
  store: Store<Native>,
  { type, version, until }: VersionName & { readonly until: Date },
  by: Operator,
  options: OperatorOptions<Native> = {},
): Promise<void> {
  checkExpiry(until);
  await operate(store, by, options, async ({ tx, record }) => {
    await insertOverride(tx, store, { type, version, until, ...by });
    await record({
      action: 'allow-writes',
      what: { messages: [], selection: { type, version } },
      before: null,
      after: { until: until.toISOString() },
    });
  });
}

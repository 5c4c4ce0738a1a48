import { StoreError } from '../errors.ts';
import { deletePause, insertPause, type KeptPause, type PauseSubject, selectPauses } from '../statements/pause.ts';
import type { Store } from '../store.ts';
import { type OperatorOptions, operate } from './audit.ts';
import type { Operator } from './operator.ts';

/** Longer names are none: PostgreSQL identifiers, URLs' hosts and message types all fit. */
const MAX_NAME_BYTES = 256;

/**
 * Pauses a message type or a destination: no dispatcher claims anything of it until it is resumed, from its next look at the store on, which comes
 * within its idle interval. What is in hand ends as it would. Durable and audited in the same transaction.
 * Throws `STO_INVALID_OPTION` without an actor, a reason or a name.
 */
export async function pause<Native>(
  store: Store<Native>,
  subject: PauseSubject,
  by: Operator,
  options: OperatorOptions<Native> = {},
): Promise<{ readonly status: 'done' | 'already-paused' }> {
  const selection = checked(subject);
  return operate(store, by, options, async ({ tx, record }) => {
    if (!(await insertPause(tx, store, { ...selection, ...by }))) return { status: 'already-paused' };
    await record({ action: 'pause', what: { messages: [], selection }, before: [], after: { paused: true } });
    return { status: 'done' };
  });
}

/** Ends a pause. What has waited goes on in its order. Audited in the same transaction. */
export async function resume<Native>(
  store: Store<Native>,
  subject: PauseSubject,
  by: Operator,
  options: OperatorOptions<Native> = {},
): Promise<{ readonly status: 'done'; readonly was: KeptPause } | { readonly status: 'not-paused' }> {
  const selection = checked(subject);
  return operate(store, by, options, async ({ tx, record }) => {
    const was = await deletePause(tx, store, selection);
    if (was === null) return { status: 'not-paused' };
    await record({ action: 'resume', what: { messages: [], selection }, before: [], after: { paused: false, was } });
    return { status: 'done', was };
  });
}

/** What is paused, by whom, since when and why; the eldest first. */
export async function listPauses(store: Store): Promise<readonly KeptPause[]> {
  return selectPauses(store.database, store);
}

function checked({ type, destination }: PauseSubject): { readonly type: string } | { readonly destination: string } {
  const name = type ?? destination;
  if (
    typeof name !== 'string' ||
    name.trim() === '' ||
    /[\0\p{Cs}]/u.test(name) ||
    Buffer.byteLength(name) > MAX_NAME_BYTES
  )
    throw new StoreError(
      'STO_INVALID_OPTION',
      `expected a message type or a destination of 1 to ${String(MAX_NAME_BYTES)} bytes, got ${JSON.stringify(name)}`,
    );
  return type === undefined ? { destination: name } : { type: name };
}

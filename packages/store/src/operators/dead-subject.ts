import type { OutboxStateName } from '@waybill/contracts';

import type { Executor } from '../executor.ts';
import type { DeadLetter } from '../state.ts';
import { readSubject, type Subject } from '../statements/record-read.ts';
import type { Store } from '../store.ts';
import type { Failure } from './audit.ts';

/** Why nothing was done: the message does not exist, is not dead (any more), or was given up for good. */
export type NotOpen =
  | { readonly status: 'not-found' }
  | { readonly status: 'not-dead'; readonly state: OutboxStateName }
  | { readonly status: 'discarded'; readonly by: string; readonly at: Date };

/** A message whose dead letter is open. */
export interface OpenSubject extends Subject {
  readonly state: DeadLetter;
}

export async function findOpen(
  executor: Executor,
  store: Store,
  id: string,
): Promise<{ readonly status: 'open'; readonly subject: OpenSubject } | NotOpen> {
  const subject = await readSubject(executor, store, id);
  if (subject === null) return { status: 'not-found' };
  const { state } = subject;
  if (state.state !== 'dead-letter') return { status: 'not-dead', state: state.state };
  if (state.discarded !== null) return { status: 'discarded', by: state.discarded.by, at: state.discarded.at };
  return { status: 'open', subject: { ...subject, state } };
}

/** After a conditional write found nothing to change: what somebody else has made of the message meanwhile. */
export async function findClosed(executor: Executor, store: Store, id: string): Promise<NotOpen> {
  const now = await findOpen(executor, store, id);
  // Replayed by somebody else and dead again already: what this operator saw is gone all the same.
  return now.status === 'open' ? { status: 'not-dead', state: 'dead-letter' } : now;
}

export function failureOf({ id, state }: OpenSubject): Failure {
  return {
    deadLetter: state.deadLetter,
    message: id,
    reason: state.reason,
    error: state.error,
    attempt: state.attempt,
    failedAt: state.failedAt.toISOString(),
  };
}

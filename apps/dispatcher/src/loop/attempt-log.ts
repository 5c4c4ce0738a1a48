import type { Unreadable } from '@waybill/contracts';
import type { Next, TypedRecord } from '@waybill/store';
import type { AttemptEnd } from '../attempt/end.ts';
import { errorText } from '../retry/error-text.ts';
import type { HeldRun } from './held-run.ts';
import type { LoopLogger } from './loop-logger.ts';

/** One line for each attempt that an operator may have to look at; deliveries that went well are for debugging only. No payload, ever. */
export function logAttempt(
  logger: LoopLogger,
  { record, end, durationMs }: { readonly record: TypedRecord; readonly end: AttemptEnd; readonly durationMs: number },
): void {
  const { outcome } = end;
  const next = nextOf(end);
  const fields = {
    ...identityOf(record),
    attempt: record.attempt + 1,
    result: outcome.outcome,
    ...('class' in outcome ? { class: outcome.class } : {}),
    ...(next !== null && 'error' in next ? { error: next.error } : {}),
    ...(next?.then === 'retry' ? { retryInMs: next.delayMs } : {}),
    durationMs: Math.round(durationMs),
  };
  if (outcome.outcome === 'accepted') logger.debug(fields, 'delivered');
  else if (next?.then === 'dead-letter') logger.warn({ ...fields, reason: next.reason }, 'dead letter');
  else if (next?.then === 'retry') logger.info(fields, 'to be tried again');
  else logger.info(fields, 'given back without an attempt');
}

/** This build turned out not to read what it claims to read. */
export function logGivenUp(logger: LoopLogger, record: TypedRecord, why: Unreadable): void {
  const fields = { type: record.type, version: record.version, status: why.status, reason: why.reason };
  logger.error(
    fields,
    'this build cannot read records that it should; it no longer asks for this version of this type until it is restarted',
  );
}

/** Somebody will ask what this record does to a process; the log says where to begin. */
export function logCrashLoop(logger: LoopLogger, record: TypedRecord): void {
  logger.error(
    { ...identityOf(record), crashes: record.crashes, reason: 'crash-loop' },
    'dead letter: this record was in hand each time that its process died',
  );
}

export function logBug(logger: LoopLogger, record: TypedRecord | undefined, error: unknown): void {
  logger.error(
    { ...(record === undefined ? {} : identityOf(record)), error: errorText(error) },
    'an error in the dispatcher itself; the record rests for a while',
  );
}

export function logStopped(logger: LoopLogger, runs: readonly HeldRun[]): void {
  const heads = runs.slice(0, 10).map(({ head }) => head);
  logger.warn({ runs: runs.length, heads }, 'leases could not be renewed in time; their work was told to stop');
}

/** What becomes of a record that was not delivered. */
export function nextOf(end: AttemptEnd): Next | null {
  if (end.settled) return end.outcome.outcome === 'accepted' ? null : end.settlement.next;
  return end.decision.delivered ? null : end.decision.next;
}

function identityOf({ id, type, version, recordKey, position }: TypedRecord): Readonly<Record<string, unknown>> {
  return { message: id, type, version, recordKey, position };
}

import type { Readers, Unreadable, WantedVersion } from '@waybill/contracts';
import type { TypedRecord } from '@waybill/store';
import type { HeldRun } from '../loop/held-run.ts';
import type { Route } from '../routes/route.ts';
import type { ReadRecord } from './envelope.ts';
import type { OutcomeOf } from './outcome.ts';

export interface ReadingDeps {
  readonly readers: Readers;
  readonly onRead: (record: TypedRecord) => void;
  /** Gives whether no live build can read it. */
  readonly onUnreadable: (record: TypedRecord, run: HeldRun, why: Unreadable) => Promise<boolean>;
}

/** Reads a record by its own version, and gives it in the version that its route asks for. */
export function readRecord(
  route: Route,
  record: TypedRecord,
  { fence }: HeldRun,
  { readers, onRead }: ReadingDeps,
): ReadRecord | Unreadable {
  const read = readers.read(record, wantedVersion(route));
  if (read.status !== 'ok') return read;
  onRead(record);
  return { record, message: route.message, read, fence };
}

/** Takes note of a record that this build cannot read after all. */
export async function unreadableOutcome(
  record: TypedRecord,
  run: HeldRun,
  why: Unreadable,
  { onUnreadable }: ReadingDeps,
): Promise<OutcomeOf<'unreadable-here'>> {
  const byNobody = await onUnreadable(record, run, why);
  return { outcome: 'unreadable-here', class: why.status, detail: why.reason, byNobody };
}

function wantedVersion(route: Route): WantedVersion {
  return route.via === 'publish' ? (route.publishAs ?? 'stored') : 'newest';
}

import type { StoredPayload, Unreadable } from '@waybill/contracts';

import type { GateBlocker } from './gate-report.ts';

/** A record that has not ended, as a reader gets it. */
export interface BacklogRecord extends StoredPayload {
  readonly id: string;
  readonly state: 'pending' | 'processing' | 'dead-letter';
  readonly ageSeconds: number;
}

const MAX_SAMPLE = 5;
// A reason may name a place in the payload; a few of them tell what is wrong, all of them would be as long as the backlog.
const MAX_REASONS = 3;

interface Group {
  readonly record: BacklogRecord;
  readonly status: Unreadable['status'];
  count: number;
  oldestAgeSeconds: number;
  readonly sampleIds: string[];
  readonly reasons: Set<string>;
}

/** Counts what a build could not read, by version, state and kind of failure. Its size does not grow with the backlog. */
export class UnreadTally {
  readonly #groups = new Map<string, Group>();
  read = 0;

  add(record: BacklogRecord, failure: Unreadable | null): void {
    this.read += 1;
    if (failure === null) return;
    const group = this.#groupOf(record, failure.status);
    group.count += 1;
    group.oldestAgeSeconds = Math.max(group.oldestAgeSeconds, record.ageSeconds);
    if (group.sampleIds.length < MAX_SAMPLE) group.sampleIds.push(record.id);
    if (group.reasons.size < MAX_REASONS) group.reasons.add(failure.reason);
  }

  /** `complete`: the whole backlog was read, so that the counts are all there is. */
  blockers(complete: boolean): readonly GateBlocker[] {
    return [...this.#groups.values()]
      .map((group) => blockerOf(group, !complete))
      .sort((a, b) => (a.type === b.type ? a.version - b.version : a.type < b.type ? -1 : 1));
  }

  #groupOf(record: BacklogRecord, status: Unreadable['status']): Group {
    const key = JSON.stringify([record.type, record.version, record.state, status]);
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const group = { record, status, count: 0, oldestAgeSeconds: 0, sampleIds: [], reasons: new Set<string>() };
    this.#groups.set(key, group);
    return group;
  }
}

function blockerOf(
  { record, status, count, oldestAgeSeconds, sampleIds, reasons }: Group,
  capped: boolean,
): GateBlocker {
  const { type, version, state } = record;
  const why = [...reasons].join('; ');
  return {
    type,
    version,
    state,
    count,
    capped,
    oldestAgeSeconds,
    sampleIds,
    detail: `${capped ? 'at least ' : ''}${String(count)} ${state} of ${type}@${String(version)} cannot be read, ${status}: ${why}`,
  };
}

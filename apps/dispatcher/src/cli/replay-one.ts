import { type OpenSubject, type Operator, previewReplay, type ReplayPreview, replay, type Store } from '@waybill/store';
import { EXIT } from './exit-code.ts';
import { exitOfNotOpen, notOpenText } from './not-open.ts';
import type { Outcome } from './output.ts';
import { contractOf } from './record-output.ts';

export interface ReplayOneRequest {
  readonly by: Operator;
  /** Also when newer messages of its key were delivered since. */
  readonly allowOutOfOrder: boolean;
}

/** Shows what a replay would overtake. Changes nothing. */
export async function previewOne(store: Store, id: string): Promise<Outcome> {
  return previewOutcome(id, await previewReplay(store, id));
}

/** Replays one message; where its key went on without it, only for an operator who says so. */
export async function replayOne(store: Store, id: string, { by, allowOutOfOrder }: ReplayOneRequest): Promise<Outcome> {
  const preview = await previewReplay(store, id);
  if (preview.status !== 'replayable') return previewOutcome(id, preview);
  const { deliveredSince } = preview;
  if (deliveredSince.count > 0 && !allowOutOfOrder)
    return {
      exitCode: EXIT.refused,
      document: { status: 'out-of-order', id, deliveredSince },
      text: () => `${overtaken(preview)}; say --allow-out-of-order to replay it all the same`,
    };
  const result = await replay(store, id, by);
  if (result.status !== 'replayed') return previewOutcome(id, result);
  return {
    exitCode: EXIT.ok,
    document: { ...result, deliveredSince },
    text: () => `replayed ${id}: ${result.place}; ${overtaken(preview)}`,
  };
}

function previewOutcome(id: string, preview: ReplayPreview): Outcome {
  if (preview.status !== 'replayable')
    return { exitCode: exitOfNotOpen(preview), document: { ...preview, id }, text: () => notOpenText(id, preview) };
  const { subject, deliveredSince } = preview;
  return {
    exitCode: EXIT.ok,
    document: { status: preview.status, id, record: withoutPosition(subject), deliveredSince },
    text: () => `would replay ${id} (${contractOf(subject)}, ${subject.state.reason}); ${overtaken(preview)}`,
  };
}

/** Where a message stands in our tables is no affair of a script's. */
function withoutPosition({ seq: _, ...record }: OpenSubject): Omit<OpenSubject, 'seq'> {
  return record;
}

function overtaken({ deliveredSince }: Extract<ReplayPreview, { status: 'replayable' }>): string {
  const { count, capped, newest, contracts } = deliveredSince;
  if (newest === null) return 'nothing of its key was delivered since';
  const number = `${capped ? 'at least ' : ''}${String(count)}`;
  return `of its key ${number} were delivered since (${contracts.join(', ')}), the last at ${newest.dispatchedAt.toISOString()}`;
}

import { type DeliveredSince, readDeliveredSince } from '../statements/delivered-since.ts';
import { inIndexOrder } from '../statements/index-order.ts';
import type { Store } from '../store.ts';
import { findOpen, type NotOpen, type OpenSubject } from './dead-subject.ts';

export type ReplayPreview =
  | {
      readonly status: 'replayable';
      /** The message, its version among it: whoever handles the replay must be able to read that. */
      readonly subject: OpenSubject;
      /** What the replay would come after. Empty without a key, and under the head policy `hold`. */
      readonly deliveredSince: DeliveredSince;
    }
  | NotOpen;

// Enough to say "many"; a hot key may have millions.
const MAX_COUNTED = 1_000;

/** Shows what a replay of this message would overtake. Changes nothing. */
export async function previewReplay(store: Store, id: string): Promise<ReplayPreview> {
  return inIndexOrder(store, async (tx): Promise<ReplayPreview> => {
    const found = await findOpen(tx, store, id);
    if (found.status !== 'open') return found;
    const { subject } = found;
    const deliveredSince = await readDeliveredSince(tx, store, subject.state.deadLetter, MAX_COUNTED);
    return { status: 'replayable', subject, deliveredSince };
  });
}

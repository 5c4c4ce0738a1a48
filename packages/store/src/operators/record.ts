import { inIndexOrder } from '../statements/index-order.ts';
import type { RecordSummary } from '../statements/record-columns.ts';
import {
  type PastAction,
  type PastDelivery,
  type PastReplay,
  readActions,
  readDeliveries,
  readReplays,
} from '../statements/record-history.ts';
import { readWhole } from '../statements/record-read.ts';
import type { Store } from '../store.ts';

/** One message with all that is known of it. */
export interface RecordHistory extends RecordSummary {
  /** The JSON texts as stored. Show a payload to those only who may see it. */
  readonly payload: string;
  readonly headers: string;
  /** Ended deliveries, oldest first; the one under way is in `state`. */
  readonly deliveries: readonly PastDelivery[];
  /** Empty where an audit sink keeps them. */
  readonly replays: readonly PastReplay[];
  readonly actions: readonly PastAction[];
}

/** Reads one message with its whole history. Null: there is none with this id (any more). */
export async function readRecord(store: Store, id: string): Promise<RecordHistory | null> {
  return inIndexOrder(store, async (tx) => {
    const whole = await readWhole(tx, store, id);
    if (whole === null) return null;
    const { seq, ...record } = whole;
    return {
      ...record,
      deliveries: await readDeliveries(tx, store, seq),
      replays: await readReplays(tx, store, seq),
      actions: await readActions(tx, store, record.id),
    };
  });
}

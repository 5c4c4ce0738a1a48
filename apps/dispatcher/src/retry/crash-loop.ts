import type { Next, TypedRecord } from '@waybill/store';

/**
 * The first crash has many suspects, and each of them is handled alone from then on. Three crashes alone are no coincidence: a node that is
 * drained, or memory that somebody else has used up, rarely hits the same lonely record three times.
 */
export const CRASHES_ALONE = 3;

/** What becomes of a record that was in hand when its process died; null: it is tried again, alone. Pure. */
export function crashVerdict({ crashes, position }: Pick<TypedRecord, 'crashes' | 'position'>): Next | null {
  if (crashes <= CRASHES_ALONE) return null;
  return {
    then: 'dead-letter',
    position,
    reason: 'crash-loop',
    error: `the process that handled this record died ${crashes} times, the last ${CRASHES_ALONE} times with nothing else in hand`,
  };
}

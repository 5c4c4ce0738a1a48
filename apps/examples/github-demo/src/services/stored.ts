import type { EnqueueEntry } from '@waybill/store';

/** What the business part of a transaction leaves for its messaging part. */
export interface Stored {
  readonly recordKey: string;
  readonly revision: number;
  readonly messages: readonly EnqueueEntry[];
}

/** The revision that an upsert returned: it writes exactly one row. */
export function onlyRevision(rows: readonly { readonly revision: number }[]): number {
  const [row] = rows;
  if (row === undefined) throw new TypeError('an upsert returned no row');
  return row.revision;
}

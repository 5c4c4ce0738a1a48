import {
  type KeylessWrites,
  keylessSince,
  liveWritersBefore,
  type WriterBehind,
} from '../statements/writers-behind.ts';
import type { Store } from '../store.ts';
import { LIVE_WRITER_MS } from '../writer/start-writer.ts';
import { GENERATION, schemaGeneration } from './generation.ts';

/** The step that added record keys. */
const KEYS_STEP = 2;
/** The gate asks whether there are any; a number beyond this one says no more. */
const MOST_KEYLESS = 10_000;

/** Who still writes without record keys. Both lists are empty where all is well; services that did not register are seen by what they write alone. */
export interface WritersBehind {
  readonly writers: readonly WriterBehind[];
  /** Messages that were written without a key since the tables have keys. Counted among the newest ten thousand without one. */
  readonly keyless: readonly KeylessWrites[];
}

/** Finds running writers of an older generation than the tables, and what they have left behind. */
export async function writersBehind(store: Store): Promise<WritersBehind> {
  if ((await schemaGeneration(store)) < GENERATION) return { writers: [], keyless: [] };
  const live = { generation: GENERATION, liveMs: LIVE_WRITER_MS };
  return {
    writers: await liveWritersBefore(store.database, store, live),
    keyless: await keylessSince(store.database, store, { step: KEYS_STEP, most: MOST_KEYLESS }),
  };
}

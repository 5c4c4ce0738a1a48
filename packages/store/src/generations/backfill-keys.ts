import type { Readers, ReadStatus } from '@waybill/contracts';

import { fillKeys, type KeylessList, type KeylessMessage, keylessMessages } from '../statements/keyless.ts';
import type { Store } from '../store.ts';
import { schemaGeneration } from './generation.ts';
import { storedKey } from './stored-key.ts';

export interface BackfillOptions {
  /** Messages at most in one transaction, whose keys are guarded until it ends. Defaults to 200. */
  readonly batch?: number;
  /** Ends the backfill between two batches; another one goes on where this one stopped. */
  readonly signal?: AbortSignal;
  /** Told after each batch. */
  readonly onProgress?: (progress: { readonly filled: number }) => void;
}

/** Messages that no reader at hand could give a key: run the backfill again with a build that reads them. */
export interface KeylessRest {
  readonly type: string;
  readonly version: number;
  readonly why: Exclude<ReadStatus, 'ok'> | 'record-key-invalid';
  readonly count: number;
}

export type BackfillResult =
  /** The tables are of generation 1 and have no keys. */
  | { readonly outcome: 'no-keys' }
  | { readonly outcome: 'cancelled'; readonly filled: number }
  | {
      /** `partial`: some messages are unreadable here, or belong to keys that somebody holds; run it again later. */
      readonly outcome: 'complete' | 'partial';
      readonly filled: number;
      readonly deferred: number;
      readonly unreadable: readonly KeylessRest[];
    };

const DEFAULT_BATCH = 200;

/**
 * Writes the record keys of messages that were enqueued before there were any, by the same function as enqueue, and puts each into its place in
 * the order of its key. Safe beside enqueue, claims and settlements, at any time and any number of times. What is leased is left for the next run.
 *
 * A key that a caller gave instead of the contract's own was not kept by generation 1.
 */
export async function backfillKeys(
  store: Store,
  readers: Readers,
  options: BackfillOptions = {},
): Promise<BackfillResult> {
  if ((await schemaGeneration(store)) === 1) return { outcome: 'no-keys' };
  const backfill = new Backfill(store, readers, options);
  // What is on its way comes first, and again as long as somebody lets go of something; then history, which nobody holds.
  while ((await backfill.pass('live')).filled > 0);
  const { deferred, unreadable } = await backfill.pass('all');
  if (options.signal?.aborted === true) return { outcome: 'cancelled', filled: backfill.filled };
  const outcome = deferred === 0 && unreadable.size === 0 ? 'complete' : 'partial';
  return { outcome, filled: backfill.filled, deferred, unreadable: [...unreadable.values()] };
}

interface Pass {
  filled: number;
  deferred: number;
  readonly unreadable: Map<string, KeylessRest>;
}

class Backfill {
  filled = 0;
  readonly #store: Store;
  readonly #readers: Readers;
  readonly #options: BackfillOptions;

  constructor(store: Store, readers: Readers, options: BackfillOptions) {
    this.#store = store;
    this.#readers = readers;
    this.#options = options;
  }

  /** Goes once through a list. */
  async pass(list: KeylessList): Promise<Pass> {
    const { batch: most = DEFAULT_BATCH, signal } = this.#options;
    const pass: Pass = { filled: 0, deferred: 0, unreadable: new Map() };
    let after: string | undefined = '0';
    while (after !== undefined && signal?.aborted !== true) {
      const page = await keylessMessages(this.#store.database, this.#store, { list, after, most });
      await this.#fill(page, pass);
      after = page.at(-1)?.cursor;
    }
    return pass;
  }

  async #fill(page: readonly KeylessMessage[], pass: Pass): Promise<void> {
    const keys: { readonly seq: string; readonly key: string }[] = [];
    for (const message of page) {
      const read = storedKey(this.#readers, message);
      if ('key' in read) keys.push({ seq: message.seq, key: read.key });
      else count(pass.unreadable, message, read.why);
    }
    if (keys.length === 0) return;
    const deferred = await fillKeys(this.#store.database, this.#store, keys);
    pass.deferred += deferred.length;
    pass.filled += keys.length - deferred.length;
    this.filled += keys.length - deferred.length;
    this.#options.onProgress?.({ filled: this.filled });
  }
}

function count(rest: Map<string, KeylessRest>, { type, version }: KeylessMessage, why: KeylessRest['why']): void {
  const name = `${type}@${String(version)} ${why}`;
  rest.set(name, { type, version, why, count: (rest.get(name)?.count ?? 0) + 1 });
}

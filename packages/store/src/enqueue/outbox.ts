import type { AnyMessage, PayloadOf } from '@waybill/contracts';

import { StoreError } from '../errors.ts';
import { quoteIdentifier } from '../identifier.ts';
import { UnwritableVersionError } from '../rollout/unwritable-error.ts';
import { explainTransactionError } from '../sql-errors.ts';
import { type EnqueueOutcome, enqueueRows } from '../statements/enqueue.ts';
import { DEFAULT_SCHEMA, type StoreOptions } from '../store.ts';
import type { OpenTransaction, TransactionGate } from '../transaction-gate.ts';
import type { Writer } from '../writer/writer.ts';
import { findEarlier } from './earlier.ts';
import { Negotiation } from './negotiation.ts';
import type { EnqueueOptions } from './options.ts';
import { type Draft, draftMessage, type EnqueueEntry } from './prepare.ts';
import { checkShape } from './shape.ts';
import { type TraceContext, withTrace } from './trace-context.ts';

export interface Enqueued {
  readonly id: string;
  /** The schema version that was written. */
  readonly version: number;
  /** False: a message with this id and the same content was there already. */
  readonly created: boolean;
}

/** Enqueues on transactions of one driver. */
export interface Outbox<Tx> {
  /**
   * Writes one message on the caller's open transaction: it becomes visible, and is delivered, if and when that transaction commits.
   * Throws `STO_NOT_IN_TRANSACTION` for anything but an open transaction, `CTR_PAYLOAD_INVALID` and `STO_INVALID_OPTION` before anything is sent,
   * `STO_ID_CONFLICT` when the id belongs to a message with other content, and `STO_VERSION_UNWRITABLE` when the builds that are there could not
   * read what would be written. None of these aborts the transaction.
   */
  readonly enqueue: <M extends AnyMessage>(
    tx: Tx,
    message: M,
    payload: PayloadOf<M>,
    options?: EnqueueOptions,
  ) => Promise<Enqueued>;
  /**
   * Writes many messages in one statement, in the order given. All or none are sent. After `STO_ID_CONFLICT` the others are written, and the
   * caller decides whether to commit them.
   */
  readonly enqueueMany: (tx: Tx, entries: readonly EnqueueEntry[]) => Promise<readonly Enqueued[]>;
}

export interface OutboxOptions extends StoreOptions {
  /** The service that writes, from `startWriter`; its schema is then the default. */
  readonly writer?: Writer;
  /** Asked at each enqueue for the trace to keep in the headers; `traceContext` of `@waybill/store/opentelemetry` is one. Defaults to none. */
  readonly traceContext?: TraceContext;
}

/** Times around that a registry which changes under a caller may send it; more than one is rare. */
const MAX_ROUNDS = 3;

/** Builds the enqueue functions of one driver. `newId` gives message ids. */
export function createOutbox<Tx>(
  gate: TransactionGate<Tx>,
  newId: () => string,
  options: OutboxOptions = {},
): Outbox<Tx> {
  const { writer } = options;
  const schema = quoteIdentifier(options.schema ?? writer?.schema ?? DEFAULT_SCHEMA);
  const negotiation = new Negotiation(schema);

  async function write(open: OpenTransaction, drafts: readonly Draft[]): Promise<readonly Enqueued[]> {
    try {
      return await writeAll(open, drafts);
    } catch (error) {
      if (!(error instanceof UnwritableVersionError)) throw error;
      // A repeat writes nothing, so nothing can stand against it.
      const earlier = await findEarlier(open.executor, schema, drafts);
      if (earlier.size === 0) throw error;
      const rest = drafts.filter(({ id }) => !earlier.has(id));
      const written = await writeAll(open, rest);
      const results = new Map(rest.map((draft, index) => [draft, written[index]]));
      return drafts.flatMap((draft) => results.get(draft) ?? repeated(draft.id, earlier) ?? []);
    }
  }

  // The same message may have been written in another version, when other builds were there to read it.
  async function earlierOf(
    sent: readonly Sent[],
    drafts: readonly Draft[],
    { executor }: OpenTransaction,
  ): Promise<ReadonlyMap<string, number>> {
    const conflicting = drafts.filter((_, index) => sent[index]?.outcome === 'conflict');
    return conflicting.length === 0 ? NONE : findEarlier(executor, schema, conflicting);
  }

  async function writeAll(open: OpenTransaction, drafts: readonly Draft[]): Promise<readonly Enqueued[]> {
    if (drafts.length === 0) return [];
    if (negotiation.isStale(drafts) || negotiation.refuses(drafts)) await negotiation.ask(open.executor, drafts);
    for (let round = 1; round <= MAX_ROUNDS; round += 1) {
      const versions = negotiation.decide(drafts);
      const messages = drafts.map((draft, index) => draft.write(versions[index] ?? draft.message.newest));
      const { outcomes, at } = await enqueueRows(open, schema, messages);
      negotiation.sawTime(at);
      const sent = messages.map(({ id, type, version }, index) => ({ id, type, version, outcome: outcomes[index] }));
      if (!outcomes.includes('unwritable')) return enqueued(sent, await earlierOf(sent, drafts, open));
      await negotiation.ask(open.executor, drafts);
    }
    // Says who stands against it now, or that it was only the turmoil.
    negotiation.decide(drafts);
    throw new StoreError('STO_VERSION_UNWRITABLE', 'the registry of readers changes too fast; try again');
  }

  async function enqueueMany(tx: Tx, entries: readonly EnqueueEntry[]): Promise<readonly Enqueued[]> {
    checkShape(entries);
    const trace = options.traceContext?.() ?? {};
    const drafts = entries.map((entry) => draftMessage(traced(entry, trace), newId, writer?.id ?? null));
    return gate.within(tx, (open) => write(open, drafts)).catch(explainTransactionError);
  }

  return {
    enqueueMany,
    async enqueue(tx, message, payload, enqueueOptions = {}) {
      const [enqueued] = await enqueueMany(tx, [{ message, payload, options: enqueueOptions }]);
      // One message in, one outcome out: the statement answers a row per message.
      if (enqueued === undefined) throw new TypeError('enqueue answered without a row');
      return enqueued;
    },
  };
}

function traced(entry: EnqueueEntry, trace: Readonly<Record<string, string>>): EnqueueEntry {
  const headers = withTrace(entry.options?.headers, trace);
  return headers === undefined ? entry : { ...entry, options: { ...entry.options, headers } };
}

interface Sent {
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly outcome: EnqueueOutcome | undefined;
}

function enqueued(sent: readonly Sent[], earlier: ReadonlyMap<string, number>): readonly Enqueued[] {
  return sent.map(({ id, type, version, outcome }) => {
    if (outcome !== 'conflict') return { id, version, created: outcome === 'created' };
    const repeat = repeated(id, earlier);
    if (repeat !== undefined) return repeat;
    throw new StoreError(
      'STO_ID_CONFLICT',
      `a message with id ${id} is there already, with other content than this ${type}`,
    );
  });
}

const NONE: ReadonlyMap<string, number> = new Map();

function repeated(id: string, earlier: ReadonlyMap<string, number>): Enqueued | undefined {
  const version = earlier.get(id);
  return version === undefined ? undefined : { id, version, created: false };
}

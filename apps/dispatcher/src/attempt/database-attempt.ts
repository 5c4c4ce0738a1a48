import type { TransportOutcome } from '@waybill/contracts';
import {
  type Connection,
  classifyStoreError,
  type Database,
  type Executor,
  type Settlement,
  type SettleResult,
  type Store,
} from '@waybill/store';
import { outbox } from '@waybill/store/pg';
import type { PoolClient } from 'pg';
import type { HeldRun } from '../loop/held-run.ts';
import type { Decision } from '../retry/classify.ts';
import { errorCode, errorText } from '../retry/error-text.ts';
import type { EnqueueHere, HandleRoute } from '../routes/route.ts';
import { handled, type ReadRecord } from './envelope.ts';
import { invokeHandler } from './invoke-handler.ts';
import { lendClient } from './lent-client.ts';
import { type AttemptOutcome, LEASE_LOST } from './outcome.ts';

/** How an attempt in the database ended: in its own transaction, or with an outcome that is still to be written down. */
export type DatabaseAttemptEnd =
  | {
      readonly settled: true;
      readonly outcome: AttemptOutcome;
      readonly settlement: Settlement;
      readonly result: SettleResult;
    }
  | { readonly settled: false; readonly outcome: AttemptOutcome };

export interface DatabaseAttempt {
  readonly route: HandleRoute;
  readonly record: ReadRecord;
  /** Nothing of it waits to be written: its head is where the lease is. */
  readonly run: HeldRun;
  readonly decide: (outcome: AttemptOutcome) => Decision;
}

export interface DatabaseAttemptDeps {
  readonly store: Store;
  readonly database: Database<PoolClient>;
  /** Settles over the connection of the attempt; how, is up to the session that claimed the run. */
  readonly settle: (connection: Executor, run: HeldRun, settlement: Settlement) => Promise<readonly SettleResult[]>;
}

const SAVEPOINT = 'waybill_attempt';
/** A statement of the handler has failed and the handler went on: PostgreSQL refuses everything up to a rollback. */
const IN_FAILED_TRANSACTION = '25P02';

/** The attempt's transaction has ended in another way than by its commit, so the record is not settled with it. */
class TransactionEndedError extends Error {
  override readonly name = 'TransactionEndedError';
  readonly code = 'DSP_TRANSACTION_ENDED';
}

/**
 * Runs a handler whose effects are in the outbox's own database: begin, savepoint, handler, settle, commit. Either all of it happens or nothing.
 *
 * A failed handler rolls back to the savepoint, and the bookkeeping of its failure commits in the same transaction, before the claim ends.
 * A lost lease rolls everything back. A transaction that itself fails leaves its outcome to be written over another connection.
 */
export async function databaseAttempt(
  attempt: DatabaseAttempt,
  deps: DatabaseAttemptDeps,
): Promise<DatabaseAttemptEnd> {
  let begun = false;
  try {
    return await deps.database.connection(async (connection) => {
      await connection.native.query(beginText(attempt.route));
      begun = true;
      return await attemptInTransaction(connection, attempt, deps);
    });
  } catch (error) {
    return { settled: false, outcome: await outcomeOfBroken(error, begun, deps.database) };
  } finally {
    attempt.run.endWrite();
  }
}

// One round trip. The number was checked with the routes; a parameter is not possible here.
function beginText({ lockTimeoutMs }: HandleRoute): string {
  return `begin isolation level read committed; set local lock_timeout = ${Math.trunc(lockTimeoutMs)}; savepoint ${SAVEPOINT}`;
}

async function attemptInTransaction(
  connection: Connection<PoolClient>,
  attempt: DatabaseAttempt,
  { store, settle }: DatabaseAttemptDeps,
): Promise<DatabaseAttemptEnd> {
  const { run } = attempt;
  const outcome = await runHandler(connection.native, attempt, store);
  if (outcome.outcome !== 'accepted') await connection.native.query(`rollback to savepoint ${SAVEPOINT}`);
  const settlement = settlementOf(outcome, attempt);
  // Until the commit the store shows the lease at its old place.
  run.beginWrite();
  const [result] = await settle(connection, run, settlement);
  if (result === undefined) throw new TypeError('a settlement was answered without a result');
  if (result.status !== 'settled') {
    await connection.native.query('rollback');
    return { settled: true, outcome: LEASE_LOST, settlement, result };
  }
  // A server answers the COMMIT of a transaction that has failed with a rollback and no error.
  if ((await connection.commit()) === 'rolled-back')
    throw new TransactionEndedError('the COMMIT of the attempt was answered with a rollback');
  return { settled: true, outcome, settlement, result };
}

async function runHandler(
  client: PoolClient,
  { route, record, run }: DatabaseAttempt,
  store: Store,
): Promise<TransportOutcome> {
  const { tx, takeBack } = lendClient(client);
  const here = outbox({ schema: store.schema });
  const enqueue: EnqueueHere = (message, payload, options) => here.enqueue(tx, message, payload, options);
  // The reader has given the payload the type that the constructor of the route asked for.
  const payload = record.read.payload as never;
  try {
    const outcome = await invokeHandler(() =>
      route.handler(payload, { tx, message: handled(record), signal: run.signal, enqueue }),
    );
    return outcome.outcome === 'accepted' ? await keepEffects(client, outcome) : outcome;
  } finally {
    takeBack();
  }
}

/** Releasing the savepoint proves that the transaction is still the attempt's: a handler may have ended it, or have swallowed an error in it. */
async function keepEffects(client: PoolClient, accepted: TransportOutcome): Promise<TransportOutcome> {
  try {
    await client.query(`release savepoint ${SAVEPOINT}`);
    return accepted;
  } catch (error) {
    const code = errorCode(error);
    if (code === IN_FAILED_TRANSACTION)
      return {
        outcome: 'retry',
        class: 'transaction-aborted',
        detail: 'a statement of the handler failed, and the handler went on',
      };
    // No such savepoint, or no transaction at all.
    if (code === '3B001' || code === '25P01')
      throw new TransactionEndedError('the handler ended the transaction of its attempt', { cause: error });
    throw error;
  }
}

function settlementOf(outcome: TransportOutcome, { run, record: { record }, decide }: DatabaseAttempt): Settlement {
  const decision = decide(outcome);
  if (!decision.delivered) return { head: run.head, fence: run.fence, delivered: [], next: decision.next };
  const isLast = run.records.at(-1)?.position === record.position;
  return {
    head: run.head,
    fence: run.fence,
    delivered: [record.position],
    next: { then: isLast ? 'release' : 'keep' },
  };
}

/**
 * What a transaction that failed says about the record. A connection that was lost alone, while the store answers, may well be the record's
 * doing and counts; an outage of the store is nobody's.
 */
async function outcomeOfBroken(
  error: unknown,
  begun: boolean,
  database: Database<PoolClient>,
): Promise<AttemptOutcome> {
  const detail = errorText(error);
  if (classifyStoreError(error) !== 'unavailable') return { outcome: 'retry', class: 'transaction-failed', detail };
  if (begun && (await answers(database))) return { outcome: 'retry', class: 'connection-lost', detail };
  return { outcome: 'store-unavailable', detail };
}

async function answers(database: Database<PoolClient>): Promise<boolean> {
  try {
    await database.query('select 1');
    return true;
  } catch {
    // How it fails does not matter here; whoever uses the store next reports it.
    return false;
  }
}

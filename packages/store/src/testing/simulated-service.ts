import type { AnyMessage, WhenUnreadable } from '@waybill/contracts';
import { newMessageId } from '../enqueue/new-id.ts';
import { createOutbox } from '../enqueue/outbox.ts';
import { StoreError } from '../errors.ts';
import type { Connection, Executor } from '../executor.ts';
import { UnwritableVersionError } from '../rollout/unwritable-error.ts';
import { readTime } from '../statements/simulation.ts';
import { readTransactionId } from '../statements/transaction-id.ts';
import type { Store } from '../store.ts';
import type { TransactionGate } from '../transaction-gate.ts';

export type SimulatedIsolation = 'read committed' | 'repeatable read' | 'serializable';

export interface SimulatedMessage {
  readonly id: string;
  readonly message: AnyMessage;
  readonly payload: unknown;
  readonly recordKey: string;
  readonly whenUnreadable: WhenUnreadable;
  readonly delayMs: number;
}

export type SimulatedEnqueueResult =
  | { readonly status: 'written'; readonly version: number }
  | { readonly status: 'refused'; readonly why: string }
  | { readonly status: 'stale' };

export interface SimulatedTransaction {
  enqueue(message: SimulatedMessage): Promise<SimulatedEnqueueResult>;
  commit(): Promise<'committed' | 'rolled-back'>;
  rollback(): Promise<void>;
}

export interface SimulatedServicePort {
  begin(isolation: SimulatedIsolation): Promise<SimulatedTransaction>;
}

/** A service with what it remembers of the registry, which ages by the time of the simulation. */
export function startService(store: Store, passedMs: () => number): SimulatedServicePort {
  const gate: TransactionGate<Connection> = {
    within: async (tx, fn) => fn({ executor: aged(tx, passedMs), transactionId: await readTransactionId(tx) }),
  };
  const outbox = createOutbox(gate, newMessageId, { schema: store.schema });
  return {
    async begin(isolation) {
      const { connection, release } = await borrow(store);
      await connection.query(`begin isolation level ${isolation}`);
      // The first statement takes the snapshot.
      await readTime(connection);
      return {
        async enqueue({ id, message, payload, recordKey, whenUnreadable, delayMs }) {
          const dueAt = delayMs === 0 ? {} : { dueAt: new Date((await readTime(connection)) + delayMs) };
          try {
            const { version } = await outbox.enqueue(connection, message, payload, {
              ...{ id, recordKey, whenUnreadable },
              ...dueAt,
            });
            return { status: 'written', version };
          } catch (error) {
            return refusal(error);
          }
        },
        async commit() {
          try {
            return await connection.commit();
          } catch (error) {
            if (!isStale(error)) throw error;
            await connection.query('rollback');
            return 'rolled-back';
          } finally {
            await release();
          }
        },
        async rollback() {
          await connection.query('rollback');
          await release();
        },
      };
    },
  };
}

/** A connection for as long as the caller wants. */
async function borrow(
  store: Store,
): Promise<{ readonly connection: Connection; readonly release: () => Promise<void> }> {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return new Promise((resolve, reject) => {
    const lent = store.database.connection(async (connection) => {
      resolve({
        connection,
        release: () => {
          end();
          return lent;
        },
      });
      await ended;
    });
    lent.catch(reject);
  });
}

/** Answers carry the database's time; what has passed in the simulation is added. */
function aged(executor: Executor, passedMs: () => number): Executor {
  return {
    async query(text, values) {
      const later = (at: string): string => String(Number(at) + passedMs());
      return (await executor.query(text, values)).map((row) => {
        const { at, answer } = row;
        if (typeof at === 'string') return { ...row, at: later(at) };
        // Of one message the outcome and the time come in one text.
        return typeof answer === 'string' ? { ...row, answer: answer.replace(/[0-9]+$/, later) } : row;
      });
    },
  };
}

function refusal(error: unknown): SimulatedEnqueueResult {
  if (error instanceof UnwritableVersionError) return { status: 'refused', why: error.message };
  if (isStale(error)) return { status: 'stale' };
  throw error;
}

/** A serialization failure, as it is or as the cause that a driver's error has. */
function isStale(error: unknown): boolean {
  if (error instanceof StoreError) return isStale(error.cause);
  return typeof error === 'object' && error !== null && Reflect.get(error, 'code') === '40001';
}

import type { Connection } from '../executor.ts';
import { writeAudit } from '../statements/audit.ts';
import type { Store } from '../store.ts';
import { transaction } from '../transaction/transaction.ts';
import { checkOperator, type Operator } from './operator.ts';

/** What an operator can do that changes something. */
export type OperatorAction = LetterAction | RolloutAction;
type LetterAction = 'replay' | 'discard' | 'purge-dead-letters' | 'pause' | 'resume' | 'override-gate';
type RolloutAction =
  | 'drain-dispatchers'
  | 'declare-reader'
  | 'withdraw-reader'
  | 'pin-version'
  | 'unpin-version'
  | 'allow-writes'
  | 'retire-version';

/** A dead letter as it was when an operator acted on it: the failure that the action answers. */
export interface Failure {
  readonly deadLetter: string;
  readonly message: string;
  readonly reason: string;
  readonly error: string;
  readonly attempt: number;
  /** ISO 8601. */
  readonly failedAt: string;
}

/** One action of one operator, as it is kept. Plain JSON. The time is the database's. */
export type AuditEntry = Act &
  Operator & {
    readonly what: {
      /** Ids of the messages. */
      readonly messages: readonly string[];
      /** How they were chosen, where not one by one; for a rollout what the action is about. */
      readonly selection?: Readonly<Record<string, unknown>>;
    };
    readonly after: Readonly<Record<string, unknown>>;
  };

/** What an action found: the failures that it answers, or what an operator had decided before. */
type Act =
  | { readonly action: LetterAction; readonly before: readonly Failure[] }
  | { readonly action: RolloutAction; readonly before: object | null };

/** Keeps an entry somewhere else than in our tables, on the same transaction: what it throws undoes the action. */
export type AuditSink<Native = unknown> = (tx: Connection<Native>, entry: AuditEntry) => Promise<void>;

export interface OperatorOptions<Native = unknown> {
  /** Takes the place of the tables `audit` and `replay`. */
  readonly audit?: AuditSink<Native>;
}

/** A transaction of one operator: its `record` writes what was done where it belongs. */
export interface Operation<Native> {
  readonly tx: Connection<Native>;
  readonly record: (entry: Act & Pick<AuditEntry, 'what' | 'after'>) => Promise<void>;
}

// A guard may be held as long as the business transaction that took it. An operator is told to try again rather than kept waiting.
const LOCK_TIMEOUT_MS = 10_000;

/** Runs an operator's action in one transaction, in READ COMMITTED: replays and guards rely on fresh snapshots. */
export async function operate<Native, T>(
  store: Store<Native>,
  by: Operator,
  options: OperatorOptions<Native>,
  fn: (operation: Operation<Native>) => Promise<T>,
): Promise<T> {
  checkOperator(by);
  return store.database.connection((connection) =>
    transaction(connection, async (tx) => {
      await tx.query(`select set_config('lock_timeout', $1, true)`, [`${String(LOCK_TIMEOUT_MS)}ms`]);
      return fn({
        tx,
        record: async (entry) => {
          const full = { ...entry, actor: by.actor, reason: by.reason };
          await (options.audit === undefined ? writeAudit(tx, store, full) : options.audit(tx, full));
        },
      });
    }),
  );
}

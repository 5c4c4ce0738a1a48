export type { ClaimedRecord, Run } from './claimed.ts';
export {
  type ClaimAnswer,
  type Claimer,
  type ClaimerOptions,
  type ClaimRequest,
  createClaimer,
  type TypedRecord,
} from './claimer.ts';
export { type Contract, type ContractIds, type ContractName, registerContracts } from './contracts.ts';
export type { EnqueueOptions } from './enqueue/options.ts';
export { createOutbox, type Enqueued, type Outbox, type TransactionGate } from './enqueue/outbox.ts';
export { type EnqueueEntry, entry } from './enqueue/prepare.ts';
export { STORE_ERROR_CODES, StoreError, type StoreErrorCode } from './errors.ts';
export type { Connection, Database, Executor, Row, Value } from './executor.ts';
export { checkSchema, migrate, type SchemaStatus } from './migrate.ts';
export { schemaSql } from './migrations.ts';
export { classifyStoreError, type StoreErrorClass } from './sql-errors.ts';
export {
  type DispatcherEntry,
  drainDispatcher,
  leaveDispatcher,
  registerDispatcher,
  seeDispatcher,
} from './statements/dispatcher-registry.ts';
export { type Renewal, renew } from './statements/renew.ts';
export { type Next, type Settlement, type SettleResult, settle } from './statements/settle.ts';
export { sweep } from './statements/sweep.ts';
export { DEFAULT_SCHEMA, openStore, type Store, type StoreOptions } from './store.ts';
export { transaction } from './transaction.ts';

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
export { type CreateOnce, type CreateOnceResult, onceCreator } from './create-once/create-once.ts';
export type { CreateOnceRequest, TableName } from './create-once/request.ts';
export type { Drift } from './doctor/compare-catalogs.ts';
export { type Diagnosis, doctor, type Finding } from './doctor/doctor.ts';
export { requireSoundPositions } from './doctor/positions.ts';
export type { EnqueueOptions } from './enqueue/options.ts';
export { createOutbox, type Enqueued, type Outbox, type OutboxOptions } from './enqueue/outbox.ts';
export { type EnqueueEntry, entry } from './enqueue/prepare.ts';
export type { TraceContext } from './enqueue/trace-context.ts';
export { STORE_ERROR_CODES, StoreError, type StoreErrorCode } from './errors.ts';
export type { Connection, Database, Executor, Row, Value } from './executor.ts';
export {
  type BackfillOptions,
  type BackfillResult,
  backfillKeys,
  type KeylessRest,
} from './generations/backfill-keys.ts';
export { createDrainer, type Drainer, type RunLease } from './generations/drainer.ts';
export { GENERATION, type Generation, schemaGeneration } from './generations/generation.ts';
export {
  createKeylessDrainer,
  type KeylessDrainerOptions,
  needsKeylessDrainer,
} from './generations/keyless-drainer.ts';
export { type WritersBehind, writersBehind } from './generations/writers-behind.ts';
export { createInbox, type Inbox } from './inbox/inbox.ts';
export { inboxSql, installInbox } from './inbox/install.ts';
export { type InboxRetention, purgeInbox } from './inbox/purge-inbox.ts';
export { checkSchema, type MigrateOptions, migrate, type SchemaStatus } from './migrate.ts';
export { schemaSql } from './migrations.ts';
export type { AuditEntry, AuditSink, Failure, OperatorAction, OperatorOptions } from './operators/audit.ts';
export { auditSome, auditWaiting, type WaitingAudit } from './operators/audit-waiting.ts';
export { type CappedCount, countRecords } from './operators/count.ts';
export { coverage } from './operators/coverage.ts';
export type { NotOpen, OpenSubject } from './operators/dead-subject.ts';
export { declareReader, listReaders, withdrawReader } from './operators/declare-reader.ts';
export { type DiscardResult, discard } from './operators/discard.ts';
export { type DrainRequest, drainDispatchers } from './operators/drain-dispatchers.ts';
export {
  type BuildManifest,
  type DrainingReport,
  gateRetire,
  gateRollback,
  gateWriters,
} from './operators/gates.ts';
export { readStoreHealth, type StoreHealth } from './operators/health.ts';
export { type ListOptions, listRecords, type RecordPage } from './operators/list.ts';
export type { Operator } from './operators/operator.ts';
export { listPauses, pause, resume } from './operators/pause.ts';
export { oldestPending } from './operators/pending-age.ts';
export { overridePullGate, type PullGateFacts, pullGateFacts } from './operators/pull-gate.ts';
export { type DeadPurgeRule, type Purged, type PurgeRules, purge } from './operators/purge.ts';
export { type RecordHistory, readRecord } from './operators/record.ts';
export { type ReplayResult, replay } from './operators/replay.ts';
export { countReplayable, type ReplayManyRequest, type ReplayManyResult, replayMany } from './operators/replay-many.ts';
export { previewReplay, type ReplayPreview } from './operators/replay-preview.ts';
export type { ReplayTally } from './operators/replay-run.ts';
export { type RetireResult, retireVersion } from './operators/retire.ts';
export {
  gateShadowRead,
  gateShadowReadVersions,
  type ShadowReading,
  type ShadowReadReport,
} from './operators/shadow-read.ts';
export {
  type ContractSignals,
  liveDispatchers,
  readSignals,
  recentAttempts,
  type StoreSignals,
} from './operators/signals.ts';
export { allowWrites, pinVersion, unpinVersion } from './operators/version-pin.ts';
export type { CoverageRow } from './rollout/coverage.ts';
export type { Forecast } from './rollout/forecast.ts';
export type { GateBlocker, GateName, GateReport, GateVerdict, VersionsByType } from './rollout/gate-report.ts';
export {
  planRollout,
  type RolloutBuild,
  type RolloutPlan,
  type RolloutStep,
  type RolloutStepName,
} from './rollout/plan.ts';
export type { Blocker, Pin, VersionName } from './rollout/standing.ts';
export { UnwritableVersionError } from './rollout/unwritable-error.ts';
export { classifyStoreError, type StoreErrorClass } from './sql-errors.ts';
export {
  type DeadLetter,
  type Dispatched,
  OUTBOX_EVENTS,
  type OutboxEvent,
  type OutboxState,
  type Pending,
  type Processing,
  stateAfter,
  TRANSITIONS,
} from './state.ts';
export type { WaitingFindings } from './statements/audit-waiting.ts';
export { type BatchRecord, type BatchSettlement, claimBatch, renewBatch, settleBatch } from './statements/batch.ts';
export { stampAnew } from './statements/claim.ts';
export type { DeadLetterFilter } from './statements/dead-letter-find.ts';
export type { Delivered, DeliveredSince } from './statements/delivered-since.ts';
export {
  type DispatcherEntry,
  drainDispatcher,
  leaveDispatcher,
  registerDispatcher,
  seeDispatcher,
  wantHints,
} from './statements/dispatcher-registry.ts';
export { type DrainMode, type Entry, enterBatch, enterPull, leaveDrain } from './statements/drain-mode.ts';
export type { DispatcherSubject, NamedDispatcher } from './statements/drain-request.ts';
export { grantsSql, type Roles } from './statements/grants.ts';
export type { InboxAnswer } from './statements/inbox.ts';
export type { LiveDispatcher } from './statements/live-dispatchers.ts';
export type { KeptPause, Pause, PauseSubject } from './statements/pause.ts';
export type { PendingAge } from './statements/pending-age.ts';
export { type KeptPolicy, keepPolicy, type PolicyValues } from './statements/policy.ts';
export type { GateOverride } from './statements/pull-facts.ts';
export type { DeclaredReader } from './statements/reader-declare.ts';
export type { RecentAttempts } from './statements/recent-attempts.ts';
export type { RecordSummary } from './statements/record-columns.ts';
export type { CountFilter } from './statements/record-count.ts';
export type { PastAction, PastDelivery, PastReplay } from './statements/record-history.ts';
export type { RecordFilter } from './statements/record-page.ts';
export { type Renewal, renew } from './statements/renew.ts';
export type { ReplayPlace } from './statements/replay.ts';
export { type Next, type Settlement, type SettleResult, settle } from './statements/settle.ts';
export { sweep } from './statements/sweep.ts';
export { giveUpContract, noteUnreadable } from './statements/unreadable.ts';
export type { KeylessWrites, WriterBehind } from './statements/writers-behind.ts';
export { DEFAULT_SCHEMA, openStore, type Store, type StoreOptions } from './store.ts';
export type { AfterCommit, BestEffortOptions, Committed } from './transaction/after-commit.ts';
export { transaction } from './transaction/transaction.ts';
export type { OpenTransaction, TransactionGate } from './transaction-gate.ts';
export { startWriter } from './writer/start-writer.ts';
export type { Writer, WriterClock, WriterOptions, WriterReport } from './writer/writer.ts';

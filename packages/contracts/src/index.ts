export { CONTRACT_ERROR_CODES, ContractError, type ContractErrorCode } from './contract-error.ts';
export { type ContractPackage, defineContracts } from './definition/contract-package.ts';
export { defineMessage, type MessageDefinition } from './definition/define-message.ts';
export type { DeliverySpecification } from './definition/delivery-specification.ts';
export { defineEvent, type EventRecord } from './definition/event.ts';
export type {
  AnyMessage,
  Downcasts,
  Idempotency,
  Message,
  PayloadAt,
  PayloadOf,
  Upcasts,
  VersionedPayload,
  Versions,
} from './definition/message.ts';
export { TYPE_NAME, TYPE_NAME_MAX_BYTES } from './definition/message-problems.ts';
export { type Manifest, manifestOf } from './manifest.ts';
export { type JsonProblem, jsonProblem } from './payload/json-problem.ts';
export { parseJson } from './payload/parse-json.ts';
export { RECORD_KEY_MAX_BYTES, recordKeyOf, recordKeyProblem } from './payload/record-key.ts';
export { writableVersions } from './payload/writable-versions.ts';
export { type WrittenPayload, writePayload } from './payload/write-payload.ts';
export type { ReadPayload, ReadResult, StoredPayload, Unreadable, WantedVersion } from './reading/read-result.ts';
export { createReaders, type Readers } from './reading/readers.ts';
export type { TransportOutcome } from './transport-outcome.ts';
export { ASSERTED_FORMATS } from './validation/formats.ts';
export {
  ATTEMPT_RESULTS,
  type AttemptResult,
  DEAD_LETTER_REASONS,
  DELIVERY_GUARANTEES,
  type DeadLetterReason,
  type DeliveryGuarantee,
  HEAD_POLICIES,
  type HeadPolicy,
  IDEMPOTENCY_CLASSES,
  type IdempotencyClass,
  KINDS,
  type Kind,
  OUTBOX_STATES,
  type OutboxStateName,
  PENDING_REASONS,
  type PendingReason,
  READ_STATUSES,
  type ReadStatus,
  SPECIFICATION_STATUSES,
  type SpecificationStatus,
  TRANSPORT_OUTCOMES,
  type TransportOutcomeName,
  VERDICTS,
  type Verdict,
  WHEN_UNREADABLE,
  type WhenUnreadable,
} from './vocabulary.ts';

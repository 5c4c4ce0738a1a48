export {
  KINDS,
  OUTBOX_STATES,
  PENDING_REASONS,
  TRANSPORT_OUTCOMES,
  ATTEMPT_RESULTS,
  DEAD_LETTER_REASONS,
  HEAD_POLICIES,
  READ_STATUSES,
  VERDICTS,
  IDEMPOTENCY_CLASSES,
  WHEN_UNREADABLE,
  DELIVERY_GUARANTEES,
  SPECIFICATION_STATUSES,
  type Kind,
  type OutboxStateName,
  type PendingReason,
  type TransportOutcomeName,
  type AttemptResult,
  type DeadLetterReason,
  type HeadPolicy,
  type ReadStatus,
  type Verdict,
  type IdempotencyClass,
  type WhenUnreadable,
  type DeliveryGuarantee,
  type SpecificationStatus,
} from './vocabulary.ts';
export type { TransportOutcome } from './transport-outcome.ts';
export { CONTRACT_ERROR_CODES, ContractError, type ContractErrorCode } from './contract-error.ts';
export { defineContracts, type ContractPackage } from './definition/contract-package.ts';
export { defineEvent, type EventRecord } from './definition/event.ts';
export { defineMessage, type MessageDefinition } from './definition/define-message.ts';
export type { DeliverySpecification } from './definition/delivery-specification.ts';
export type { AnyMessage, Downcasts, Idempotency, Message, PayloadAt, PayloadOf, Upcasts, VersionedPayload, Versions } from './definition/message.ts';
export { TYPE_NAME, TYPE_NAME_MAX_BYTES } from './definition/message-problems.ts';
export { createReaders, type Readers } from './reading/readers.ts';
export type { ReadPayload, ReadResult, StoredPayload, Unreadable, WantedVersion } from './reading/read-result.ts';
export { jsonProblem, type JsonProblem } from './payload/json-problem.ts';
export { parseJson } from './payload/parse-json.ts';
export { RECORD_KEY_MAX_BYTES, recordKeyOf, recordKeyProblem } from './payload/record-key.ts';
export { writePayload, type WrittenPayload } from './payload/write-payload.ts';
export { ASSERTED_FORMATS } from './validation/formats.ts';
export { manifestOf, type Manifest } from './manifest.ts';

import type { TProperties, TSchema } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import {
  DEAD_LETTER_REASONS,
  DELIVERY_GUARANTEES,
  IDEMPOTENCY_CLASSES,
  KINDS,
  PENDING_REASONS,
} from '@waybill/contracts';
import { EXIT } from '../../src/cli/exit-code.ts';
import {
  amount,
  answer,
  bigint,
  contractName,
  count,
  flag,
  instant,
  list,
  mapOf,
  object,
  orNull,
  part,
  text,
  uuid,
  version,
  word,
} from './forms.ts';

const lastError = orNull(text);
const attempt = count;
const deadLetterState = object({
  state: word('dead-letter'),
  deadLetter: bigint,
  attempt,
  reason: word(...DEAD_LETTER_REASONS),
  error: text,
  failedAt: instant,
  failedBy: text,
  discarded: orNull(object({ at: instant, by: text, reason: text })),
});
const states = [
  object({ state: word('pending'), reason: word(...PENDING_REASONS), attempt, nextAttemptAt: instant, lastError }),
  object({
    state: word('processing'),
    attempt,
    lease: object({ owner: uuid, expiresAt: instant, fence: bigint }),
    lastError,
  }),
  object({ state: word('dispatched'), attempt, dispatchedAt: instant, dispatchedBy: uuid, lastError }),
  deadLetterState,
];

const record = {
  id: uuid,
  kind: word(...KINDS),
  type: text,
  version,
  occurredAt: instant,
  enqueuedAt: instant,
  tenant: orNull(text),
  recordKey: text,
  event: orNull(text),
  state: Type.Union(states),
} satisfies TProperties;

const provenance = {
  at: instant,
  by: text,
  attempts: count,
  build: orNull(text),
  writtenVersion: version,
  handedVersion: orNull(version),
} satisfies TProperties;
const deliveries = Type.Union([
  object({ ...provenance, ended: word('dispatched'), lastError }),
  object({
    ...provenance,
    ended: word('dead-letter'),
    deadLetter: bigint,
    reason: word(...DEAD_LETTER_REASONS),
    error: text,
    replayedAt: orNull(instant),
    discardedAt: orNull(instant),
  }),
]);

const payload = Type.Union([
  object({ status: word('ok'), value: Type.Unknown() }),
  object({ status: word('unknown-type', 'unknown-version', 'invalid', 'upcast-failed'), reason: text }),
]);

const promise = {
  guarantee: word(...DELIVERY_GUARANTEES),
  boundary: text,
  duplicates: text,
  retryHorizon: text,
  recoveryOwner: text,
  recordOwner: text,
} satisfies TProperties;

/** What several documents have in common, by its name among the definitions. */
export const PARTS: Readonly<Record<string, TSchema>> = {
  error: answer({
    error: object({ code: text, exitCode: code(Object.values(EXIT)), problems: list(text) }),
  }),
  record: object(record),
  'dead-record': object({ ...record, state: deadLetterState }),
  history: object({
    ...record,
    deliveries: list(deliveries),
    replays: list(object({ deadLetter: bigint, actor: text, reason: text, requestedAt: instant })),
    actions: list(object({ action: text, actor: text, reason: text, at: instant })),
    payload: Type.Optional(payload),
    headers: Type.Optional(mapOf(Type.Unknown())),
  }),
  'delivered-since': object({
    count,
    capped: flag,
    newest: orNull(object({ id: uuid, type: text, version, dispatchedAt: instant })),
    contracts: list(contractName),
  }),
  dispatcher: object({
    id: uuid,
    build: text,
    seenSecondsAgo: amount,
    contracts: count,
    unreadable: list(contractName),
  }),
  pause: object({ type: orNull(text), destination: orNull(text), actor: text, reason: text, pausedAt: instant }),
  blocker: object({
    type: text,
    version,
    state: word('pending', 'processing', 'dead-letter', 'no-reader', 'writer', 'writable', 'retired'),
    count,
    capped: flag,
    oldestAgeSeconds: amount,
    sampleIds: list(text),
    detail: text,
  }),
  forecast: object({ type: text, version, pending: count, perSecond: amount, drainedInSeconds: orNull(count) }),
  versions: mapOf(list(version)),
  pin: object({ version, percent: Type.Integer({ minimum: 0, maximum: 100 }) }),
  'delivery-specification': Type.Union([
    object({ ...promise, status: word('accepted') }),
    object({ ...promise, status: word('draft'), decider: text, decideBy: Type.String({ format: 'date' }) }),
  ]),
  idempotency: orNull(object({ class: word(...IDEMPOTENCY_CLASSES), contract: orNull(text) })),
};

function code(numbers: readonly number[]): TSchema {
  return Type.Unsafe({ type: 'integer', enum: numbers });
}

/** Why an operator's action on a dead message did nothing. */
export const NOT_OPEN: readonly TSchema[] = [
  answer({ status: word('not-found'), id: Type.Optional(text) }),
  answer({
    status: word('not-dead'),
    state: word('pending', 'processing', 'dispatched', 'dead-letter'),
    id: Type.Optional(text),
  }),
  answer({ status: word('discarded'), by: text, at: instant, id: Type.Optional(text) }),
];

export const refs = {
  record: part('record'),
  deadRecord: part('dead-record'),
  history: part('history'),
  deliveredSince: part('delivered-since'),
  dispatcher: part('dispatcher'),
  pause: part('pause'),
  blocker: part('blocker'),
  forecast: part('forecast'),
  versions: part('versions'),
  pin: part('pin'),
  delivery: part('delivery-specification'),
  idempotency: part('idempotency'),
};

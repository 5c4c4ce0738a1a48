import { type TSchema, Type } from '@sinclair/typebox';
import { KINDS } from '@waybill/contracts';
import { amount, answer, bigint, count, flag, list, object, orNull, text, uuid, version, word } from './forms.ts';
import { NOT_OPEN, refs } from './parts.ts';

const steps = list(text);
const schemaStatus = [
  { status: word('ready') },
  { status: word('absent', 'behind'), pending: steps },
  { status: word('ahead'), unknown: steps },
];
const store = Type.Union(schemaStatus.map((members) => object(members)));
const page = answer({ records: list(refs.record), next: orNull(text) });
const deadPage = answer({ records: list(refs.deadRecord), next: orNull(text) });
const shown = answer({ record: orNull(refs.history) });
const subject = [{ destination: text }, { type: text }];
const named = list(object({ id: uuid, build: text }));

/** The answers of what operators do every day, by command. */
export const OPERATIONS: Readonly<Record<string, readonly TSchema[]>> = {
  status: [
    answer({ store }),
    answer({
      store,
      pending: count,
      processing: count,
      failed: object({ dead: count, retrying: count }),
      oldestPendingSeconds: orNull(amount),
      heldKeys: count,
      capped: flag,
      lastHour: object({
        accepted: count,
        attempts: count,
        successRate: orNull(Type.Number({ minimum: 0, maximum: 1 })),
      }),
      waitingForReader: list(object({ type: text, version, count })),
      dispatchers: list(refs.dispatcher),
      pauses: list(refs.pause),
    }),
  ],
  'messages list': [page],
  'messages show': [shown],
  'dead list': [deadPage],
  'dead show': [shown],
  'dead discard': [answer({ status: word('done'), id: uuid, deadLetter: bigint }), ...NOT_OPEN],
  'dead replay': [
    answer({ status: word('replayable'), id: text, record: refs.deadRecord, deliveredSince: refs.deliveredSince }),
    answer({ status: word('out-of-order'), id: text, deliveredSince: refs.deliveredSince }),
    answer({
      status: word('replayed'),
      id: text,
      deadLetter: bigint,
      place: word('held', 'ready', 'waiting'),
      deliveredSince: refs.deliveredSince,
    }),
    answer({ status: word('replayable', 'count-moved'), count, capped: flag }),
    answer({ status: word('done', 'cancelled'), replayed: count, gone: count, busy: count }),
    ...NOT_OPEN,
  ],
  'destinations list': [
    answer({
      destinations: list(object({ destination: text, types: list(text), paused: flag })),
      pauses: list(refs.pause),
    }),
  ],
  'destinations pause': subject.map((members) => answer({ status: word('done', 'already-paused'), ...members })),
  'destinations resume': subject.flatMap((members) => [
    answer({ status: word('done'), was: refs.pause, ...members }),
    answer({ status: word('not-paused'), ...members }),
  ]),
  'dispatchers list': [answer({ dispatchers: list(refs.dispatcher) })],
  'dispatchers drain': [
    answer({ status: word('dry-run', 'asked', 'count-moved'), dispatchers: named }),
    answer({ status: word('not-found') }),
  ],
  'schema plan': [answer({ name: text, sql: text })],
  'schema grants': [answer({ name: text, sql: text })],
  'schema apply': [
    answer({ dryRun: Type.Literal(false), applied: steps }),
    ...schemaStatus.map((members) => answer({ dryRun: Type.Literal(true), ...members })),
  ],
  'schema doctor': [
    answer({
      status: word('ready', 'absent', 'behind', 'ahead'),
      compared: flag,
      findings: list(
        Type.Union([
          object({ kind: word('steps'), status: word('absent', 'behind', 'ahead'), steps }),
          object({ kind: word('edited-step'), step: text }),
          object({ kind: word('positions'), problem: text }),
          object({ kind: word('missing'), object: text, expected: text }),
          object({ kind: word('unexpected'), object: text, found: text }),
          object({ kind: word('different'), object: text, expected: text, found: text }),
        ]),
      ),
    }),
  ],
  'schema backfill-keys': [
    answer({ outcome: word('no-keys') }),
    answer({ outcome: word('cancelled'), filled: count }),
    answer({
      outcome: word('complete', 'partial'),
      filled: count,
      deferred: count,
      unreadable: list(object({ type: text, version, why: text, count })),
    }),
  ],
  health: [answer({ url: Type.String({ format: 'uri' }), status: Type.Integer(), body: text })],
  'config check': [
    answer({
      file: Type.Optional(text),
      settings: list(
        object({
          path: text,
          value: Type.Union([Type.String(), Type.Number()]),
          source: word('environment', 'file', 'default'),
        }),
      ),
      warnings: list(text),
    }),
  ],
  'config env': [
    answer({
      variables: list(
        object({ name: text, path: text, default: Type.Union([Type.String(), Type.Number()]), description: text }),
      ),
    }),
  ],
  'delivery-spec': [
    answer({
      consumers: list(
        object({
          type: text,
          kind: word(...KINDS),
          via: word('publish', 'call', 'handle'),
          destination: text,
          idempotency: refs.idempotency,
          delivery: refs.delivery,
        }),
      ),
    }),
  ],
  'alerts generate': [answer({ limits: list(text), rules: text }), answer({ limits: list(text), out: text })],
  'alerts check': [answer({ limits: list(text), file: text, same: flag })],
};

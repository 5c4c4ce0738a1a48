import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { IDEMPOTENCY_CLASSES } from '@waybill/contracts';
import { answer, bigint, count, flag, instant, list, mapOf, object, orNull, text, version, word } from './forms.ts';
import { refs } from './parts.ts';

const verdict = word('safe', 'unsafe', 'unknown');
const blockers = list(refs.blocker);

function gate(name: string, more: TProperties = {}): readonly TSchema[] {
  return [
    answer({ gate: word(name), subject: text, verdict, blockers, notes: list(text), checkedAt: instant, ...more }),
  ];
}

const named = { type: text, version } satisfies TProperties;
const pinned = orNull(refs.pin);
const percent = Type.Integer({ minimum: 0, maximum: 100 });

/** The answers about builds and versions, by command. */
export const ROLLOUT: Readonly<Record<string, readonly TSchema[]>> = {
  // A format of its own, shared with `waybill-contracts manifest`.
  manifest: [
    object({
      schema: Type.Literal('waybill.manifest/v1'),
      build: text,
      readers: refs.versions,
      writers: refs.versions,
      destinations: list(text),
    }),
  ],
  'gate writers': gate('writers'),
  'gate rollback': gate('rollback', { forecast: list(refs.forecast) }),
  'gate retire': gate('retire', { forecast: list(refs.forecast), revision: orNull(count) }),
  'gate shadow-read': [...gate('shadow-read', { read: count, complete: flag }), ...gate('shadow-read')],
  'gate pull-worker': [
    answer({
      gate: word('pull-worker'),
      verdict,
      blockers,
      items: list(
        object({
          id: Type.String({ pattern: '^G[1-5]\\.[1-9]$' }),
          title: text,
          state: word('green', 'red', 'unknown'),
          why: orNull(text),
        }),
      ),
      scopedOut: list(
        object({
          type: text,
          destination: text,
          via: word('publish', 'call', 'handle'),
          effect: word(...IDEMPOTENCY_CLASSES, 'settled-with', 'unclassified'),
          contract: orNull(text),
          scopedOut: object({ reason: text, by: text, until: text }),
        }),
      ),
      override: orNull(object({ actor: text, reason: text, until: instant })),
      checkedAt: instant,
    }),
  ],
  'gate override pull-worker': [answer({ gate: word('pull-worker'), until: instant, actor: text, reason: text })],
  'rollout plan': [
    answer({
      from: text,
      to: text,
      status: word('planned'),
      steps: list(
        object({
          step: word('deploy-readers', 'check-coverage', 'allow-writers', 'drain', 'retire'),
          versions: list(object(named)),
          action: text,
          checks: list(text),
          rollback: text,
        }),
      ),
    }),
    answer({ from: text, to: text, status: word('needs-bridge'), versions: list(object(named)) }),
  ],
  'readers declare': [answer({ id: bigint, build: text, until: instant })],
  'readers list': [
    answer({
      readers: list(
        object({ id: bigint, build: text, reads: refs.versions, until: instant, actor: text, reason: text }),
      ),
    }),
  ],
  'readers withdraw': [answer({ id: bigint, status: text })],
  coverage: [
    answer({
      versions: list(
        object({
          ...named,
          builds: mapOf(count),
          pending: count,
          deadLetters: count,
          capped: flag,
          warning: orNull(word('no-reader', 'single-reader')),
        }),
      ),
    }),
  ],
  'versions pin': [answer({ ...named, percent, before: pinned })],
  'versions ramp': [answer({ ...named, percent, before: pinned })],
  'versions unpin': [answer({ type: text, before: pinned })],
  'versions allow': [answer({ ...named, until: instant })],
  retire: [
    answer({ status: word('retired', 'revision-moved'), revision: count }),
    answer({ status: word('not-found', 'already-retired') }),
    answer({ status: word('blocked'), blockers }),
  ],
};

import type { Kind } from '@waybill/contracts';
import type { Route } from './route.ts';

export interface KindRule {
  /** For each way of a record what to do instead, in words for whoever wrote the configuration; null where the way is open. */
  readonly instead: Readonly<Record<Route['via'], string | null>>;
  /** Why the contract has to say what a repeat does; null where it may leave that open. */
  readonly idempotency: string | null;
}

const PUBLISH_EVENTS =
  'an integration event tells others, so publish it; a reaction of this service is a journey-step-command of its own';

/** Who dispatches a message of each kind, and over which transport. */
export const KIND_RULES: Readonly<Record<Kind, KindRule>> = {
  'integration-event': {
    instead: { publish: null, call: PUBLISH_EVENTS, handle: PUBLISH_EVENTS },
    idempotency: null,
  },
  // Its command boundary is a function here, a service of ours behind an API, or a consumer behind a transport.
  'journey-step-command': { instead: { publish: null, call: null, handle: null }, idempotency: null },
  'provider-side-effect': {
    instead: {
      publish: null,
      call: null,
      handle:
        'handle is for effects in this database, whose transaction takes nothing back at a provider; use call, or publish',
    },
    idempotency:
      'an effect at a provider needs an idempotency contract (idempotency of defineMessage), since it may be repeated',
  },
};

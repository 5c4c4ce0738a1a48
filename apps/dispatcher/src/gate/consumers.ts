import type { IdempotencyClass } from '@waybill/contracts';
import { destinationOf } from '../flow/destination.ts';
import type { Route } from '../routes/route.ts';
import type { ScopedOut } from '../routes/scoped-out.ts';

/** What a repeated delivery of one type meets. One row of the consumer map, made from the routes of this build. */
export interface Consumer {
  readonly type: string;
  readonly destination: string;
  readonly via: Route['via'];
  /** `settled-with`: the effects commit with the settlement, so a repeat finds neither. `unclassified`: nobody has said. */
  readonly effect: IdempotencyClass | 'settled-with' | 'unclassified';
  /** What makes a repeat harmless, in the words of the contract. */
  readonly contract: string | null;
  readonly scopedOut: ScopedOut | null;
}

/** The consumer map of a build. Pure. */
export function consumersOf(routes: readonly Route[]): readonly Consumer[] {
  return routes.map((route) => ({
    type: route.message.type,
    destination: destinationOf(route),
    via: route.via,
    ...effectOf(route),
    scopedOut: route.via === 'publish' ? null : route.scopedOut,
  }));
}

function effectOf(route: Route): Pick<Consumer, 'effect' | 'contract'> {
  if (route.via === 'publish') return { effect: 'external', contract: route.message.delivery.duplicates };
  if (route.via === 'handle') return { effect: 'settled-with', contract: null };
  const { idempotency } = route;
  if (idempotency === null) return { effect: 'unclassified', contract: null };
  return { effect: idempotency.class, contract: idempotency.contract ?? null };
}

/** Whether a repeat of this consumer's effect may do harm, as far as anybody has said. Pure. */
export function isUnproven({ effect, contract }: Consumer): boolean {
  switch (effect) {
    case 'settled-with':
    case 'deterministic-set':
    case 'create':
      return false;
    case 'unclassified':
      return true;
    case 'state-dependent':
    case 'external':
      return contract === null || contract.trim() === '';
  }
}

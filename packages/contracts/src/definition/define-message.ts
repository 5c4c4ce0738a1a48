import { ContractError } from '../contract-error.ts';
import type { HeadPolicy, Kind } from '../vocabulary.ts';
import type { DeliverySpecification } from './delivery-specification.ts';
import type { Downcasts, Idempotency, Message, RecordKeyFunction, Upcasts, Versions } from './message.ts';
import { messageProblems } from './message-problems.ts';
import type { NewestVersion } from './version-types.ts';

/** An integration event cites its Event record; the other kinds have none. */
type EventCitation =
  | { readonly kind: 'integration-event'; readonly event: string }
  | { readonly kind: Exclude<Kind, 'integration-event'>; readonly event?: never };

/** Upcasts are required as soon as a version has a previous one. */
type UpcastMember<S extends Versions> = keyof Upcasts<S> extends never
  ? { readonly upcast?: Upcasts<S> }
  : { readonly upcast: Upcasts<S> };

/** What a message type is made of; see {@link defineMessage}. */
export type MessageDefinition<S extends Versions> = EventCitation &
  UpcastMember<S> & {
    /** Stable name, as in `github.issue-changed`. */
    readonly type: string;
    /** TypeBox object schemas by version, consecutive, the oldest that is still read first. */
    readonly versions: S;
    readonly recordKey: RecordKeyFunction<S>;
    readonly downcast?: Downcasts<S>;
    /** What happens behind a dead head of a record key; `continue` unless said otherwise. */
    readonly headPolicy?: HeadPolicy;
    readonly delivery: DeliverySpecification;
    readonly idempotency?: Idempotency;
  };

/**
 * Defines a message type with all its versions.
 *
 * @example
 * const OrderPlaced = defineMessage({
 *   type: 'orders.order-placed', kind: 'integration-event', event: 'EVT-ORDER-PLACED',
 *   recordKey: (order) => `Order/${order.id}`,
 *   versions: { 1: OrderV1, 2: OrderV2 },
 *   upcast: { 2: (order) => ({ ...order, currency: 'EUR' }) },
 *   delivery: { ... },
 * });
 *
 * @throws ContractError `CTR_BEST_EFFORT` for a best-effort reaction, else `CTR_DEFINITION_INVALID` with every problem.
 */
export function defineMessage<const S extends Versions>(definition: MessageDefinition<S>): Message<S> {
  if (definition.delivery.guarantee === 'best-effort') throw bestEffortRefusal(definition.type);
  const versions = Object.keys(definition.versions)
    .map(Number)
    .sort((a, b) => a - b);
  const message = {
    type: definition.type,
    kind: definition.kind,
    event: definition.event ?? null,
    versions: definition.versions,
    oldest: versions.at(0) ?? 0,
    // The newest key by value is the newest key by type; TypeScript cannot see that through Object.keys.
    newest: (versions.at(-1) ?? 0) as NewestVersion<S>,
    recordKey: definition.recordKey,
    // Absent only where the versions have no steps, and then the empty object is of the type.
    upcast: (definition.upcast ?? {}) as Upcasts<S>,
    downcast: definition.downcast ?? {},
    headPolicy: definition.headPolicy ?? 'continue',
    delivery: definition.delivery,
    idempotency: definition.idempotency ?? null,
  } satisfies Message<S>;
  const problems = messageProblems(message);
  if (problems.length > 0)
    throw new ContractError(
      'CTR_DEFINITION_INVALID',
      `the message ${JSON.stringify(definition.type)} cannot be defined:`,
      problems,
    );
  return Object.freeze(message);
}

function bestEffortRefusal(type: string): ContractError {
  return new ContractError(
    'CTR_BEST_EFFORT',
    `the message ${JSON.stringify(type)} cannot be defined: its delivery guarantee is best-effort`,
    [
      'an outbox record, its retries and its dead letter are for deliveries that must happen; a reaction that an operator may simply repeat needs none of them',
      'publish it after the commit instead: transaction(pool, work, { afterCommit }) of @waybill/store',
    ],
  );
}

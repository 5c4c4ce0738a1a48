import type { Static, TSchema } from '@sinclair/typebox';
import type { HeadPolicy, IdempotencyClass, Kind } from '../vocabulary.ts';
import type { DeliverySpecification } from './delivery-specification.ts';
import type { HavingPrevious, NewestVersion, NumberOf, PreviousVersion, VersionOf } from './version-types.ts';

/** The schemas of a message type by version. */
export type Versions = Readonly<Record<number, TSchema>>;

/** The payload type of one version. */
export type PayloadAt<S extends Versions, V> =
  NumberOf<V> extends keyof S ? (S[NumberOf<V>] extends infer T extends TSchema ? Static<T> : never) : never;

/** The payload type of a message, its newest version unless another is named: `PayloadOf<typeof OrderPlaced, 1>`. */
export type PayloadOf<M extends AnyMessage, V = NewestVersion<M['versions']>> = PayloadAt<M['versions'], V>;

/** Every version of a message with its payload, discriminated by `version`: what a handler of stored shapes must be exhaustive over. */
export type VersionedPayload<M extends AnyMessage> = {
  [V in VersionOf<M['versions']>]: { readonly version: V; readonly payload: PayloadAt<M['versions'], V> };
}[VersionOf<M['versions']>];

/** From each version to the next, for every version that has a previous one. */
export type Upcasts<S extends Versions> = {
  readonly [V in keyof S as HavingPrevious<S, V>]: (previous: PayloadAt<S, PreviousVersion<V>>) => PayloadAt<S, V>;
};

/** Back from a version to the one before it. What the older version cannot say is lost; where that may not be, leave the downcast out. */
export type Downcasts<S extends Versions> = {
  readonly [V in keyof S as HavingPrevious<S, V>]?: (newer: PayloadAt<S, V>) => PayloadAt<S, PreviousVersion<V>>;
};

/** How a repeated delivery is made harmless; `contract` says by what, and is required where repeats do harm by themselves. */
export type Idempotency =
  | { readonly class: Extract<IdempotencyClass, 'deterministic-set' | 'create'>; readonly contract?: string }
  | { readonly class: Extract<IdempotencyClass, 'state-dependent' | 'external'>; readonly contract: string };

/** The `Object/id` whose messages stay in order, from the newest shape; null for a type whose messages have no order. */
export type RecordKeyFunction<S extends Versions> = ((newest: PayloadAt<S, NewestVersion<S>>) => string) | null;

/** A defined message type. The functions are typed by {@link Message}; here only their existence is known. */
export interface AnyMessage {
  readonly type: string;
  readonly kind: Kind;
  /** The id of the Event record that an integration event cites; null for the other kinds. */
  readonly event: string | null;
  readonly versions: Versions;
  readonly oldest: number;
  readonly newest: number;
  readonly recordKey: ((newest: never) => string) | null;
  readonly upcast: Readonly<Partial<Record<number, (previous: never) => unknown>>>;
  readonly downcast: Readonly<Partial<Record<number, (newer: never) => unknown>>>;
  readonly headPolicy: HeadPolicy;
  readonly delivery: DeliverySpecification;
  readonly idempotency: Idempotency | null;
}

/** A message type with its schemas `S`, typed per version. */
export interface Message<S extends Versions = Versions> extends AnyMessage {
  readonly versions: S;
  readonly newest: NewestVersion<S>;
  readonly recordKey: RecordKeyFunction<S>;
  readonly upcast: Upcasts<S>;
  readonly downcast: Downcasts<S>;
}

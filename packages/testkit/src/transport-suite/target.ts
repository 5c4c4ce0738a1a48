import type { TransportOutcome } from '@waybill/contracts';
import type { TestMessage } from '../test-message.ts';

/** The transport port as the suite uses it; every `Transport` of `@waybill/transports` fits. */
export interface TransportUnderTest {
  readonly name: string;
  readonly capabilities: {
    readonly dedup: 'none' | 'session' | 'window';
    readonly ordering: 'none' | 'record-key';
    readonly maxBatch: number;
    readonly maxBytes: number;
  };
  publish(
    batch: readonly TestMessage[],
    context: { readonly signal: AbortSignal; readonly deadline: number },
  ): Promise<readonly TransportOutcome[]>;
  probe(signal: AbortSignal): Promise<{ readonly status: 'reachable' | 'unreachable' }>;
  close(): Promise<void>;
}

/** A message as the target holds it. */
export interface HeldMessage {
  readonly id: string;
  readonly body: string;
}

/**
 * What may go wrong between a transport and its target.
 *
 * - `down`: the target cannot be reached.
 * - `request-cut`: the connection breaks before the target gets the message.
 * - `answer-cut`: the target gets the message, and the connection breaks before its answer arrives.
 * - `answer-held`: the target gets the message, and its answer does not arrive.
 * - `hangs`: connections open by now no longer answer, as when one side lost them; new ones work.
 * - `refuses`: the target says that it will never take the message.
 */
export const TRANSPORT_FAULTS = ['down', 'request-cut', 'answer-cut', 'answer-held', 'hangs', 'refuses'] as const;
export type TransportFault = (typeof TRANSPORT_FAULTS)[number];

/** Makes a fault and resolves, once it holds, to what ends it. */
export type MakeFault = () => Promise<() => Promise<void>>;

/** A real target, private to the test. */
export interface TransportTarget {
  /** Opens a transport to the target; the suite closes it. */
  open(): Promise<TransportUnderTest>;
  /** A transport that the target does not let in, or why there is no such thing. */
  openUnauthorized: (() => Promise<TransportUnderTest>) | NotApplicable;
  /**
   * Whether the messages of one key in a batch go in one exchange, so that they share its outcome. Default false: each goes after
   * the outcome of the one before it.
   */
  readonly runsGoAsOne?: boolean;
  /** What the target holds, oldest first, read by a client that has nothing to do with the transport. */
  held(): Promise<readonly HeldMessage[]>;
  /** Empties the target. */
  forget(): Promise<void>;
  /** How each fault is made, or why it cannot happen. */
  readonly faults: Readonly<Record<TransportFault, MakeFault | NotApplicable>>;
  /** Makes the target answer late, but well within any deadline, or says why it cannot. */
  readonly slow: MakeFault | NotApplicable;
  stop(): Promise<void>;
}

/** Says why a case does not exist for a target; shown as a skipped test. */
export interface NotApplicable {
  readonly notApplicable: string;
}

/** Whether a case does not exist for a target. */
export function isNotApplicable(value: unknown): value is NotApplicable {
  return typeof value === 'object' && value !== null && 'notApplicable' in value;
}

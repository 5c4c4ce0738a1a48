/**
 * What became of one message at its target.
 *
 * `accepted`: the target has it (`duplicate` when the target says that it had it before). `retry`: the target did not take it now.
 * `refused`: it never will. `unknown`: bytes left and no answer came back, so it may have been accepted; it settles as a retry.
 * `class` is a short stable word for metrics and dead letters, `detail` is bounded and holds no payload values.
 */
export type TransportOutcome =
  | { readonly outcome: 'accepted'; readonly receipt: string | null; readonly duplicate: boolean }
  | { readonly outcome: 'retry'; readonly class: string; readonly afterMs?: number; readonly detail?: string }
  | { readonly outcome: 'refused'; readonly class: string; readonly detail?: string }
  | { readonly outcome: 'unknown'; readonly class: string; readonly detail?: string };

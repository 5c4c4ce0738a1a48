/** A message that a service committed. */
export interface Committed {
  readonly id: string;
  readonly recordKey: string;
}

/** What both sides of the outbox saw, each on its own. */
export interface Evidence {
  /** What the services committed; the messages of one record key in the order of their commits. */
  readonly committed: readonly Committed[];
  /** The ids that the targets accepted; those of one record key in the order of acceptance, repeats included. */
  readonly accepted: readonly string[];
  /** The messages that ended as dead letters; such a message is not delivered, but it is not lost either. */
  readonly deadLetters: readonly string[];
}

/** The comparison. Lists hold message ids. */
export interface Reconciliation {
  readonly enqueued: number;
  readonly delivered: number;
  readonly duplicates: number;
  readonly lost: readonly string[];
  /** First acceptances that came after the first acceptance of a younger message of their key. */
  readonly outOfOrder: readonly string[];
  /** Acceptances of messages that nobody committed. */
  readonly phantoms: readonly string[];
}

/** Compares what was committed with what was accepted. Pure, so that a lie in either column can be tested for. */
export function reconcile(evidence: Evidence): Reconciliation {
  const committed = new Map(evidence.committed.map((message, order) => [message.id, { ...message, order }]));
  const first = new Set(evidence.accepted);
  const dead = new Set(evidence.deadLetters);
  const known = evidence.accepted.filter((id) => committed.has(id));
  return {
    enqueued: committed.size,
    delivered: new Set(known).size,
    duplicates: known.length - new Set(known).size,
    lost: [...committed.keys()].filter((id) => !first.has(id) && !dead.has(id)),
    outOfOrder: overtaken([...first].flatMap((id) => committed.get(id) ?? [])),
    phantoms: [...first].filter((id) => !committed.has(id)),
  };
}

/** The messages that come after a younger one of their key. */
function overtaken(accepted: readonly (Committed & { readonly order: number })[]): readonly string[] {
  const youngest = new Map<string, number>();
  return accepted
    .filter(({ recordKey, order }) => {
      const seen = youngest.get(recordKey) ?? -1;
      youngest.set(recordKey, Math.max(seen, order));
      return order < seen;
    })
    .map(({ id }) => id);
}

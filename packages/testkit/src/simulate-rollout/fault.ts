/**
 * What may never happen.
 *
 * - `lost`: a committed message is not there any more, or did not end when it had to.
 * - `ghost`: a message of a transaction that was rolled back, or of none, is there.
 * - `changed`: a stored message is not what was written.
 * - `unreadable-lease`: a dispatcher got a record that it cannot read.
 * - `lease`: two owners of one record, or a settlement that was taken from the wrong one.
 * - `order`: a record was handed out before an older one of its key.
 * - `attempt`: an attempt was counted that was none, or forgotten.
 * - `dead-letter`: a record died of something else than its target's answers.
 * - `not-taken`: a dispatcher asked, could read a record that was free, and did not get it.
 * - `written`: a version was written that may not be, or an older one than had to be.
 * - `refused`: a write was refused that nothing stood against.
 * - `gate`: a gate said what is not so, or what it had called safe was not.
 * - `state`: the store shows another state of a message than it has.
 * - `error`: the store failed.
 */
export type RolloutInvariant =
  | 'lost'
  | 'ghost'
  | 'changed'
  | 'unreadable-lease'
  | 'lease'
  | 'order'
  | 'attempt'
  | 'dead-letter'
  | 'not-taken'
  | 'written'
  | 'refused'
  | 'gate'
  | 'state'
  | 'error';

/** Ends a run of the simulator; its caller makes a value of it. */
export class InvariantBroken extends Error {
  override readonly name = 'InvariantBroken';
  readonly invariant: RolloutInvariant;

  constructor(invariant: RolloutInvariant, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.invariant = invariant;
  }
}

export function hold(condition: boolean, invariant: RolloutInvariant, detail: () => string): asserts condition {
  if (!condition) throw new InvariantBroken(invariant, detail());
}

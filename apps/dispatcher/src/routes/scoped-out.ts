/** Takes a consumer out of the pull path for a while: its effect is not proven to survive a repeat, and somebody has decided to live with that. */
export interface ScopedOut {
  readonly reason: string;
  /** Who has decided. */
  readonly by: string;
  /** ISO 8601. Beyond it the gate is red. */
  readonly until: string;
}

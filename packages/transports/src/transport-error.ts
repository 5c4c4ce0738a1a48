/** Every code that a {@link TransportError} can carry. */
export const TRANSPORT_ERROR_CODES = ['TRN_OPTIONS_INVALID', 'TRN_CLOSED'] as const;
export type TransportErrorCode = (typeof TRANSPORT_ERROR_CODES)[number];

/** A mistake in using a transport. What a target does is never thrown: it is a `TransportOutcome`. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code: TransportErrorCode;
  /** One sentence per problem; for `TRN_OPTIONS_INVALID` all of them at once. */
  readonly problems: readonly string[];

  constructor(code: TransportErrorCode, problems: readonly string[], options?: ErrorOptions) {
    super(`${code}: ${problems.join('; ')}`, options);
    this.code = code;
    this.problems = problems;
  }
}

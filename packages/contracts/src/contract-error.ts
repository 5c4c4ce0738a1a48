/** Every code a {@link ContractError} can carry. */
export const CONTRACT_ERROR_CODES = [
  'CTR_DEFINITION_INVALID',
  'CTR_BEST_EFFORT',
  'CTR_PACKAGES_INVALID',
  'CTR_SCHEMA_INVALID',
  'CTR_INPUT_UNREADABLE',
  'CTR_BASE_MISSING',
  'CTR_PAYLOAD_INVALID',
  'CTR_DOWNCAST_MISSING',
  'CTR_DOWNCAST_FAILED',
  'CTR_RECORD_KEY_INVALID',
] as const;
export type ContractErrorCode = (typeof CONTRACT_ERROR_CODES)[number];

/** A contract, or a payload for it, that cannot be used. `problems` lists everything that was found, not only the first. */
export class ContractError extends Error {
  readonly code: ContractErrorCode;
  readonly problems: readonly string[];

  constructor(code: ContractErrorCode, summary: string, problems: readonly string[] = [], options?: ErrorOptions) {
    super(
      problems.length === 0 ? summary : `${summary}\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
      options,
    );
    this.name = 'ContractError';
    this.code = code;
    this.problems = problems;
  }
}

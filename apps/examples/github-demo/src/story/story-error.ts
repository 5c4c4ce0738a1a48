export type StoryErrorCode = 'DEMO_WAITED_IN_VAIN' | 'DEMO_DISPATCHER_FAILED' | 'DEMO_SETTING_INVALID';

/** The story cannot go on: something that it rests on did not happen. */
export class StoryError extends Error {
  override readonly name = 'StoryError';
  readonly code: StoryErrorCode;

  constructor(code: StoryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

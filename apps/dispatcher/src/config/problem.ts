/** A configuration that cannot be used. `problems` holds one sentence each, all of them, and never a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code: 'DSP_CONFIG_FILE' | 'DSP_CONFIG_INVALID';
  readonly problems: readonly string[];

  constructor(code: ConfigError['code'], problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options);
    this.code = code;
    this.problems = problems;
  }
}

// Enough to recognise a value; a message is no place for a document.
const MAX_SHOWN_CHARS = 60;

/** Says what a value is, briefly and on one line. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint' || typeof value === 'symbol') return `a ${typeof value}`;
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, MAX_SHOWN_CHARS)}…`;
}

export function mismatch(path: string, expected: string, got: string): string {
  return `${path}: expected ${expected}, got ${got}`;
}

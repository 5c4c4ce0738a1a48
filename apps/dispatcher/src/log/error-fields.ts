import { withoutSecrets } from './redaction.ts';

/** What is logged of an error: these members and no others, since drivers hang rows and parameters on theirs. */
export interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: ErrorFields;
}

// A message may quote what it was given; a log line must stay one.
const MAX_MESSAGE_CHARS = 2_000;
const MAX_STACK_CHARS = 8_000;
// Chains end, but a cause may also point back at its own error.
const MAX_CAUSES = 5;

/** Describes anything that was thrown, errors or not. */
export function errorFields(thrown: unknown, depth = 0): ErrorFields {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: bounded(textOf(thrown), MAX_MESSAGE_CHARS) };
  return {
    type: thrown.name,
    message: bounded(thrown.message, MAX_MESSAGE_CHARS),
    ...('code' in thrown && typeof thrown.code === 'string' ? { code: thrown.code } : {}),
    ...(thrown.stack === undefined ? {} : { stack: bounded(thrown.stack, MAX_STACK_CHARS) }),
    ...(thrown.cause === undefined || depth >= MAX_CAUSES ? {} : { cause: errorFields(thrown.cause, depth + 1) }),
  };
}

function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    // An object without a usable toString, for example one made with a null prototype.
    return 'a value that has no text';
  }
}

function bounded(text: string, max: number): string {
  const safe = withoutSecrets(text);
  return safe.length <= max ? safe : `${safe.slice(0, max)}…`;
}

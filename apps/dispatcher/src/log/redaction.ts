const SECRET_KEYS = [
  'password',
  'secret',
  'secrets',
  'token',
  'authorization',
  'cookie',
  'url',
  'connectionString',
] as const;

/** Members that are never logged, at the top and one level down, wherever they turn up. */
export const REDACTED_PATHS: readonly string[] = SECRET_KEYS.flatMap((key) => [key, `*.${key}`]);

export const REDACTED = '[redacted]';

// user:password@ in a URL, whatever the scheme; the user may stay, it helps to find the mistake.
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/?#@]*):[^\s/?#]*@/gi;
// Signing secrets of Standard Webhooks.
const WEBHOOK_SECRET = /\bwhsec_[A-Za-z0-9+/=]+/g;

/** Takes secrets out of a text that somebody else wrote, such as the message of an error. */
export function withoutSecrets(text: string): string {
  return text.replace(URL_PASSWORD, `$1:${REDACTED}@`).replace(WEBHOOK_SECRET, REDACTED);
}

/** A day: a longer wait is a mistake of the receiver's more often than a wish. */
export const RETRY_AFTER_MAX_MS: number = 24 * 60 * 60 * 1000;

const DELAY_SECONDS = /^-?\d+$/;
// The three forms of an HTTP date; anything else that Date.parse would take is not one.
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/**
 * The wait that a `Retry-After` header asks for, in milliseconds from `nowMs` and within a day.
 *
 * @param value seconds or an HTTP date.
 * @param nowMs milliseconds since 1970, for the date form.
 * @returns undefined when the header is absent or is neither form.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  if (DELAY_SECONDS.test(text)) return clamp(Number(text) * 1000);
  if (!HTTP_DATES.some((form) => form.test(text))) return undefined;
  // The asctime form has no zone of its own, and means GMT like the others.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : clamp(at - nowMs);
}

function clamp(ms: number): number {
  return Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS);
}

// Without an offset a time would mean another moment on another machine.
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Whether a text names one moment, wherever it is read. */
export function isInstant(text: unknown): text is string {
  return typeof text === 'string' && INSTANT.test(text) && !Number.isNaN(Date.parse(text));
}

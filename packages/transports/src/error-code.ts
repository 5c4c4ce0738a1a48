/** The code of a driver's or the system's error. Messages may quote data, so outcomes carry codes only. */
export function errorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.name : 'unknown-error';
}

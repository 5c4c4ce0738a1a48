// OpenSSL's verification results come as bare names, without a common prefix.
const TLS_CODE = /TLS|SSL|CERT|ISSUER|SIGNATURE/;

/** Whether the code of an error says that a secure connection did not come about. */
export function isTlsCode(code: string): boolean {
  return TLS_CODE.test(code);
}

/** Whether an error, or what it was made of, says so. Clients wrap what the socket told them. */
export function isTlsFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string' && isTlsCode(error.code)) return true;
  const parts: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return isTlsFailure(error.cause) || parts.some(isTlsFailure);
}

import { StoreError } from './errors.ts';

// PostgreSQL cuts longer names silently, and two schemas could become one.
const MAX_IDENTIFIER_BYTES = 63;

/** The name as PostgreSQL reads it inside a statement, whatever characters it has. `what` it names is said where it is refused. */
export function quoteIdentifier(name: string, what = 'schema'): string {
  // Untyped callers may pass anything.
  const bytes = typeof name === 'string' ? Buffer.byteLength(name) : 0;
  if (bytes === 0 || bytes > MAX_IDENTIFIER_BYTES || name.includes('\0')) {
    throw new StoreError(
      'STO_INVALID_OPTION',
      `${what}: expected a name of 1 to ${String(MAX_IDENTIFIER_BYTES)} bytes without NUL, got ${JSON.stringify(name)}`,
    );
  }
  return `"${name.replaceAll('"', '""')}"`;
}

/** The text as a string constant inside a statement. */
export function quoteLiteral(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  // Outside standard_conforming_strings a backslash would escape; the E form means the same everywhere.
  return text.includes('\\') ? ` E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}

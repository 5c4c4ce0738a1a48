// Printable ASCII without the space, the quotation mark and the per cent sign: what the CloudEvents HTTP binding leaves as it is.
const PLAIN = /^[!#$&-~]$/;

/** Makes any text fit for a header field; `decodeURIComponent` gives it back. */
export function percentEncode(text: string): string {
  let encoded = '';
  for (const byte of Buffer.from(text)) {
    const character = String.fromCharCode(byte);
    encoded +=
      byte < 0x80 && PLAIN.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What is not a uuid names no message; PostgreSQL would answer with an error instead. */
export function isMessageId(id: string): boolean {
  return UUID.test(id);
}

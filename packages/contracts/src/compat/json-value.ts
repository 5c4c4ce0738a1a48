/** JSON data, as records and witnesses are. */
export type Scalar = string | number | boolean | null;
export type JsonValue = Scalar | readonly JsonValue[] | { readonly [name: string]: JsonValue };

export const JSON_TYPES = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const;
export type JsonType = (typeof JSON_TYPES)[number];

export function jsonTypeOf(value: JsonValue): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'boolean' || type === 'number' || type === 'string' ? type : 'object';
}

export function isJsonObject(value: JsonValue): value is { readonly [name: string]: JsonValue } {
  return jsonTypeOf(value) === 'object';
}

/** One text for equal values, whatever the order of their members. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  return canonicalText(a) === canonicalText(b);
}

/** Length as JSON Schema counts it: in code points. */
export function codePointLength(text: string): number {
  return Array.from(text).length;
}

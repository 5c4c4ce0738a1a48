/** The form of a JSON value without what it says: members with their kinds, and the distinct forms in a list. */
export type Shape = string | readonly Shape[] | { readonly [member: string]: Shape };

export function shapeOf(value: unknown): Shape {
  if (Array.isArray(value)) {
    const distinct = new Map(value.map(shapeOf).map((shape) => [JSON.stringify(shape), shape]));
    return [...distinct.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, shape]) => shape);
  }
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  const members = Object.entries(value).map(([name, member]) => [name, shapeOf(member)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

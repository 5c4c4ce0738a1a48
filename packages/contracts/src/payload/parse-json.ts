/** A name that can reach a prototype, or an escape (u0050 to u007f holds its letters) that could spell one. */
const SUSPICIOUS = /__proto__|constructor|\\u00[567]/;

/**
 * Parses JSON text so that no later merge or assignment of the result can reach a prototype: members named `__proto__`, and
 * `constructor` where it holds a `prototype`, are left out. Contracts cannot declare these names, so nothing that was declared is lost.
 *
 * @throws SyntaxError for text that is not JSON.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // The scan of the text is much cheaper than a walk through every value, and nearly no text needs the walk.
  if (SUSPICIOUS.test(text)) dropPrototypeMembers(value);
  return value;
}

function dropPrototypeMembers(root: unknown): void {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
    if (holdsPrototype(Object.getOwnPropertyDescriptor(value, 'constructor')?.value))
      Reflect.deleteProperty(value, 'constructor');
    const members: readonly unknown[] = Object.values(value);
    pending.push(...members);
  }
}

function holdsPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}

/** Where a value is not JSON, as a JSON pointer, and why. */
export interface JsonProblem {
  readonly path: string;
  readonly reason: string;
}

/** Deeper values overflow the stack of some JSON parser sooner or later; no sensible message comes near. */
const MAX_DEPTH = 512;

/** The first part of a value that JSON cannot carry as it is, or null. What `JSON.stringify` would drop or convert is refused. */
export function jsonProblem(value: unknown): JsonProblem | null {
  return problemAt(value, [], new Set());
}

function problemAt(value: unknown, path: readonly (string | number)[], ancestors: Set<object>): JsonProblem | null {
  const reason = scalarReason(value);
  if (reason !== null) return { path: pointer(path), reason };
  if (typeof value !== 'object' || value === null) return null;
  if (ancestors.has(value)) return { path: pointer(path), reason: 'a cycle leads back to an object that holds it' };
  if (path.length >= MAX_DEPTH)
    return { path: pointer(path.slice(0, 8)), reason: `nested deeper than ${MAX_DEPTH} levels` };
  ancestors.add(value);
  const problem = Array.isArray(value) ? elementProblem(value, path, ancestors) : memberProblem(value, path, ancestors);
  ancestors.delete(value);
  return problem;
}

function elementProblem(
  list: readonly unknown[],
  path: readonly (string | number)[],
  ancestors: Set<object>,
): JsonProblem | null {
  for (let index = 0; index < list.length; index += 1) {
    if (!(index in list)) return { path: pointer([...path, index]), reason: 'a hole in an array would become null' };
    const problem = problemAt(list[index], [...path, index], ancestors);
    if (problem !== null) return problem;
  }
  return null;
}

function memberProblem(object: object, path: readonly (string | number)[], ancestors: Set<object>): JsonProblem | null {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null)
    return {
      path: pointer(path),
      reason: `a ${object.constructor.name || 'class instance'} is not JSON; write the value that stands for it`,
    };
  if (Object.getOwnPropertySymbols(object).length > 0)
    return { path: pointer(path), reason: 'a member named by a symbol would be dropped' };
  for (const [name, member] of Object.entries(object)) {
    const problem = problemAt(member, [...path, name], ancestors);
    if (problem !== null) return problem;
  }
  return null;
}

function scalarReason(value: unknown): string | null {
  if (value === undefined) return 'undefined is not JSON; leave the member out';
  if (typeof value === 'bigint') return 'a bigint is not JSON; write it as a string of digits';
  if (typeof value === 'function') return 'a function is not JSON';
  if (typeof value === 'symbol') return 'a symbol is not JSON';
  if (typeof value === 'number' && !Number.isFinite(value)) return `${value} would become null`;
  return null;
}

/** A JSON pointer; the empty pointer is the value itself. */
export function pointer(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

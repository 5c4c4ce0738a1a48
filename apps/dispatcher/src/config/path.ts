/** The dotted path of every leaf of `Tree`, for example `lease.leaseMs`. */
export type PathOf<Tree> = {
  [Key in keyof Tree & string]: Tree[Key] extends object ? `${Key}.${PathOf<Tree[Key]>}` : Key;
}[keyof Tree & string];

/** The type of the leaf at `Path`. */
export type ValueAt<Tree, Path extends string> = Path extends `${infer Key}.${infer Rest}`
  ? Key extends keyof Tree
    ? ValueAt<Tree[Key], Rest>
    : never
  : Path extends keyof Tree
    ? Tree[Path]
    : never;

/** The same tree with every branch and leaf optional, as a person writes it. */
export type PartialTree<Tree> = {
  readonly [Key in keyof Tree]?: Tree[Key] extends object ? PartialTree<Tree[Key]> : Tree[Key];
};

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads the value at a dotted path; undefined where a branch is missing. Inherited members do not count. */
export function valueAt(tree: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((node, key) => (isRecord(node) && Object.hasOwn(node, key) ? node[key] : undefined), tree);
}

/** Builds the tree whose leaves are the given dotted paths, frozen throughout. */
export function treeOf(leaves: ReadonlyMap<string, unknown>): Readonly<Record<string, unknown>> {
  const root: Record<string, unknown> = {};
  const sections = new Map<string, Map<string, unknown>>();
  for (const [path, value] of leaves) {
    const dot = path.indexOf('.');
    if (dot === -1) root[path] = value;
    else {
      const section = path.slice(0, dot);
      sections.set(section, (sections.get(section) ?? new Map<string, unknown>()).set(path.slice(dot + 1), value));
    }
  }
  for (const [section, inner] of sections) root[section] = treeOf(inner);
  return Object.freeze(root);
}

import { pointer } from '../payload/json-problem.ts';
import { mapSubschemas } from '../validation/map-subschemas.ts';
import type { JsonSchema, SchemaObject } from '../validation/plain-schema.ts';
import { isKnownKeyword } from '../validation/schema-keywords.ts';
import { withoutKeywords } from '../validation/without-keywords.ts';
import { withGatheredDefinitions } from './gathered-definitions.ts';
import { MOVED } from './schema-document.ts';

/** A base for schemas that have no `$id`. It is never fetched, as nothing is. */
const NO_BASE = 'schema:///';
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'] as const;
const DEFINITION = /^\/(\$defs|definitions)\/[^/]+$/;

/**
 * The schema with each reference in the form `#/$defs/<name>`, whatever it was: relative to an `$id` further in, an anchor, the root, a
 * place among the members. What is referenced there moves into `$defs`, so that all that follows needs to know one form.
 *
 * `$dynamicRef` and `$recursiveRef` become plain references where only one schema can be meant, and stay elsewhere; so does a reference
 * that leads nowhere.
 */
export function withLocalReferences(root: JsonSchema): JsonSchema {
  const gathered = withGatheredDefinitions(root);
  return typeof gathered === 'boolean' ? gathered : new Rewriting(gathered).run();
}

/** Where a reference leads: the JSON pointer of a schema. */
type Path = string;

class Rewriting {
  readonly #root: SchemaObject;
  /** Schemas by absolute URI, with an anchor behind `#` where they are named by one. */
  readonly #named = new Map<string, Path>();
  readonly #paths = new Set<Path>();
  readonly #booleans = new Map<Path, boolean>();
  /** Where the anchors for dynamic references are, by name; that of `$recursiveAnchor` is empty. */
  readonly #dynamicAnchors = new Map<string, Set<Path>>();
  /** Those of the root and what has no `$id` of its own in it. */
  readonly #rootAnchors = new Map<string, Path>();
  /** Names of the definitions for what is referenced at another place. */
  readonly #moved = new Map<Path, string>();

  constructor(root: SchemaObject) {
    this.#root = root;
    this.#eachSchema(root, NO_BASE, '', (schema, base, path) => {
      this.#gather(schema, base, path);
      return schema;
    });
  }

  run(): SchemaObject {
    this.#eachSchema(this.#root, NO_BASE, '', (schema, base) => {
      for (const keyword of REFERENCES) this.#local(keyword, schema, base);
      return schema;
    });
    const definitions = new Map<string, JsonSchema>();
    const rewritten = this.#eachSchema(this.#root, NO_BASE, '', (schema, base, path) => {
      const own = this.#rewritten(schema, base);
      const name = this.#moved.get(path);
      if (name === undefined) return own;
      definitions.set(name, path === '' ? withoutKeywords(own, ...KEPT_AT_ROOT) : own);
      return { ...(path === '' ? keptAtRoot(own) : {}), $ref: `#/$defs/${name}` };
    });
    for (const [path, schema] of this.#booleans) {
      const name = this.#moved.get(path);
      if (name !== undefined) definitions.set(name, schema);
    }
    if (definitions.size === 0) return rewritten;
    return {
      ...rewritten,
      $defs: { ...(rewritten['$defs'] as object | undefined), ...Object.fromEntries(definitions) },
    };
  }

  /** Changes each schema object from the inside out; `base` is what references in it are relative to. */
  #eachSchema(
    schema: SchemaObject,
    outerBase: string,
    path: Path,
    change: (schema: SchemaObject, base: string, path: Path) => SchemaObject,
  ): SchemaObject {
    const base = baseOf(schema, outerBase);
    const inner = mapSubschemas(schema, (part, keyword, name) => {
      const at = path + pointer(name === undefined ? [keyword] : [keyword, name]);
      if (typeof part === 'object') return this.#eachSchema(part, base, at, change);
      this.#booleans.set(at, part);
      return part;
    });
    return change(inner, base, path);
  }

  #gather(schema: SchemaObject, base: string, path: Path): void {
    this.#paths.add(path);
    const { $id: id, $anchor: anchor, $dynamicAnchor: dynamicAnchor, $recursiveAnchor: recursive } = schema;
    if (path === '' || (typeof id === 'string' && !id.startsWith('#'))) this.#named.set(base, path);
    // Draft-07 wrote anchors as an `$id`.
    if (typeof id === 'string' && id.startsWith('#')) this.#named.set(base + id, path);
    for (const name of [anchor, dynamicAnchor]) if (typeof name === 'string') this.#named.set(`${base}#${name}`, path);
    const dynamic = recursive === true ? '' : typeof dynamicAnchor === 'string' ? dynamicAnchor : null;
    if (dynamic === null) return;
    this.#dynamicAnchors.set(dynamic, new Set([...(this.#dynamicAnchors.get(dynamic) ?? []), path]));
    if (base === baseOf(this.#root, NO_BASE)) this.#rootAnchors.set(dynamic, path);
  }

  #rewritten(schema: SchemaObject, base: string): SchemaObject {
    return REFERENCES.reduce<SchemaObject>((result, keyword) => {
      const reference = this.#local(keyword, schema, base);
      if (reference === null) return result;
      const rest = withoutKeywords(result, keyword);
      if (!('$ref' in rest)) return { ...rest, $ref: reference };
      const all: readonly unknown[] = Array.isArray(rest['allOf']) ? rest['allOf'] : [];
      return { ...rest, allOf: [...all, { $ref: reference }] };
    }, schema);
  }

  /** The reference of a keyword in the one form, or null for one that stays. */
  #local(keyword: (typeof REFERENCES)[number], schema: SchemaObject, base: string): string | null {
    const reference = schema[keyword];
    if (typeof reference !== 'string') return null;
    const [uri = '', fragment = ''] = absolute(reference, base).split('#', 2);
    const resource = this.#named.get(uri);
    const asWritten = /^(\/|$)/.test(fragment)
      ? resource === undefined
        ? undefined
        : resource + decoded(fragment)
      : this.#named.get(`${uri}#${fragment}`);
    const path = keyword === '$ref' ? asWritten : this.#dynamicTarget(fragment, asWritten);
    if (path === undefined || !(this.#paths.has(path) || this.#booleans.has(path))) return null;
    if (DEFINITION.test(path)) return `#${encodeURI(path)}`;
    const name = this.#moved.get(path) ?? `${MOVED}${this.#moved.size}`;
    this.#moved.set(path, name);
    return `#/$defs/${name}`;
  }

  /**
   * Of several anchors of a name, the outermost on the way that led here is meant: always that of the root, where every way begins, if
   * it has one. Otherwise it depends on the way.
   */
  #dynamicTarget(name: string, asWritten: Path | undefined): Path | undefined {
    const anchors = this.#dynamicAnchors.get(name);
    if (anchors === undefined || anchors.size < 2) return asWritten;
    return asWritten !== undefined && anchors.has(asWritten) ? this.#rootAnchors.get(name) : undefined;
  }
}

function baseOf({ $id: id }: SchemaObject, outerBase: string): string {
  return typeof id === 'string' && !id.startsWith('#') ? absolute(id, outerBase).replace(/#$/, '') : outerBase;
}

/** A URI relative to a base; as it is where the base has no hierarchy, as in `urn:...`. */
function absolute(reference: string, base: string): string {
  if (reference === '' || reference.startsWith('#')) return base + reference;
  return URL.canParse(reference, base) ? new URL(reference, base).href : reference;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch (error) {
    if (error instanceof URIError) return fragment;
    throw error;
  }
}

/** What the root still needs where all that it asserts has moved: its dialect, and places that references may lead to. */
const KEPT_AT_ROOT = ['$schema', '$id', '$defs', 'definitions'] as const;

function keptAtRoot(root: SchemaObject): SchemaObject {
  const kept = (keyword: string) => KEPT_AT_ROOT.some((name) => name === keyword) || !isKnownKeyword(keyword);
  return Object.fromEntries(Object.entries(root).filter(([keyword]) => kept(keyword)));
}

import { isSchema, mapSubschemas } from '../validation/map-subschemas.ts';
import type { JsonSchema, SchemaObject } from '../validation/plain-schema.ts';
import { isKnownKeyword } from '../validation/schema-keywords.ts';
import { withoutKeywords } from '../validation/without-keywords.ts';
import { MOVED, schemaAt } from './schema-document.ts';

/**
 * The schema with what is referenced under keywords of unknown meaning, as OpenAPI's `#/components/schemas/Order` is, in `$defs`, where
 * everything that walks a schema finds it. A keyword that was only a place for definitions is left out.
 */
export function withGatheredDefinitions(root: JsonSchema): JsonSchema {
  return typeof root === 'boolean' ? root : new Gathering(root).run();
}

class Gathering {
  readonly #root: SchemaObject;
  readonly #names = new Map<string, string>();
  readonly #definitions = new Map<string, JsonSchema>();
  readonly #places = new Set<string>();

  constructor(root: SchemaObject) {
    this.#root = root;
  }

  run(): SchemaObject {
    const rewritten = this.#rewritten(this.#root);
    if (this.#definitions.size === 0) return this.#root;
    const $defs = { ...(rewritten['$defs'] as object | undefined), ...Object.fromEntries(this.#definitions) };
    return { ...withoutKeywords(rewritten, ...this.#places), $defs };
  }

  #rewritten(schema: SchemaObject): SchemaObject {
    const inner = mapSubschemas(schema, (part) => (typeof part === 'boolean' ? part : this.#rewritten(part)));
    const reference = schema['$ref'];
    const name = typeof reference === 'string' ? this.#gathered(reference) : null;
    return name === null ? inner : { ...inner, $ref: `#/$defs/${name}` };
  }

  /** The name that the definition has now, or null for a reference to another place. */
  #gathered(reference: string): string | null {
    const place = /^#\/([^/]+)\//.exec(reference)?.[1];
    if (place === undefined || isKnownKeyword(place)) return null;
    const known = this.#names.get(reference);
    if (known !== undefined) return known;
    const target = schemaAt(this.#root, reference.slice(1));
    if (target === undefined || !isSchema(target)) return null;
    const name = `${MOVED}${MOVED}${this.#names.size}`;
    this.#places.add(place);
    // Known before it is looked into, since it may refer to itself.
    this.#names.set(reference, name);
    this.#definitions.set(name, typeof target === 'boolean' ? target : this.#rewritten(target));
    return name;
  }
}

import type { JsonSchema, SchemaObject } from '../../src/validation/plain-schema.ts';

/** The bundle that a release of @octokit/webhooks-schemas publishes. */
export interface Bundle {
  readonly $schema: string;
  readonly definitions: Readonly<Record<string, SchemaObject>>;
}

/** The schema of each event, by name (`issues$opened`), with the definitions that it reaches and no others. */
export function eventsOf(bundle: Bundle): ReadonlyMap<string, JsonSchema> {
  const names = Object.keys(bundle.definitions).filter(
    (name) => name.includes('$') || (name.endsWith('_event') && !('oneOf' in (bundle.definitions[name] ?? {}))),
  );
  return new Map(names.map((name) => [name, eventSchema(bundle, name)]));
}

function eventSchema(bundle: Bundle, name: string): JsonSchema {
  const reached = new Set<string>();
  const pending = [name];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [, target = ''] of JSON.stringify(bundle.definitions[next] ?? {}).matchAll(
      /"#\/definitions\/([^"]+)"/g,
    )) {
      if (reached.has(target)) continue;
      reached.add(target);
      pending.push(target);
    }
  }
  const definitions = Object.fromEntries(
    [...reached].sort().map((target) => [target, bundle.definitions[target] ?? {}]),
  );
  return { ...bundle.definitions[name], $schema: bundle.$schema, definitions };
}

import { OPERATIONS } from './operations.ts';
import { PARTS } from './parts.ts';
import { ROLLOUT } from './rollout.ts';

const ANSWERS = { ...OPERATIONS, ...ROLLOUT };

type JsonSchema = Readonly<Record<string, unknown>>;

/** Every command that answers with a document. */
export const DOCUMENTED: readonly string[] = Object.keys(ANSWERS).sort();

/** The name of a command's documents among the definitions. */
export const definitionOf = (command: string): string => command.replaceAll(' ', '-');

/**
 * The JSON Schema of every document of the command line: `#/$defs/dead-list` is what `waybill dead list --json` answers, an error included.
 * It leaves room for members to come, as a document only grows.
 */
export function cliSchema(): JsonSchema {
  const documents = Object.entries(ANSWERS).map(([command, forms]) => [
    definitionOf(command),
    { anyOf: [...forms, { $ref: '#/$defs/error' }] },
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'What waybill answers with --output json, by command',
    $defs: { ...PARTS, ...Object.fromEntries(documents) },
  };
}

/** The same without room: a member that the schema does not know is a problem. */
export function closedCliSchema(): JsonSchema {
  // Without what TypeBox keeps beside JSON.
  return closed(JSON.parse(JSON.stringify(cliSchema()))) as JsonSchema;
}

function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.fromEntries(Object.entries(schema).map(([name, member]) => [name, closed(member)]));
  return members['type'] === 'object' && 'properties' in members
    ? { ...members, additionalProperties: false }
    : members;
}

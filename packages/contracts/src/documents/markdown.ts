import { namedSchemas } from '../compat/logic/translate.ts';
import type { ContractPackage } from '../definition/contract-package.ts';
import type { AnyMessage } from '../definition/message.ts';
import { canonicalSchema } from '../freeze/canonical-schema.ts';
import type { JsonSchema } from '../validation/plain-schema.ts';

/** The package as a page: each message with its delivery specification and the members of its newest version. */
export function markdownDocument(contracts: ContractPackage): string {
  const events = contracts.events.map(
    (event) => `- **${event.id}** ${event.title}. Raised by ${event.raises}; reacting: ${event.reactsTo.join(', ')}.`,
  );
  return [
    `# ${contracts.name}`,
    ...(events.length === 0 ? [] : ['## Events', events.join('\n')]),
    '## Messages',
    ...contracts.messages.flatMap(messageSections),
  ].join('\n\n');
}

function messageSections(message: AnyMessage): readonly string[] {
  const { delivery, kind, event, oldest, newest, headPolicy, idempotency } = message;
  const facts = [
    `- Kind: ${kind}${event === null ? '' : `, cites ${event}`}`,
    `- Versions: ${oldest === newest ? newest : `${oldest} to ${newest}`}`,
    `- Delivery: ${delivery.guarantee} to the boundary "${delivery.boundary}"; duplicates: ${delivery.duplicates}; retries: ${delivery.retryHorizon}`,
    `- Owners: recovery ${delivery.recoveryOwner}, records ${delivery.recordOwner}; ${delivery.status === 'draft' ? `a draft, ${delivery.decider} decides by ${delivery.decideBy}` : 'accepted'}`,
    `- Behind a dead head: ${headPolicy}`,
    ...(idempotency === null
      ? []
      : [`- Effect: ${idempotency.class}${idempotency.contract === undefined ? '' : `; ${idempotency.contract}`}`]),
  ];
  return [
    `### ${message.type}`,
    facts.join('\n'),
    memberTable(canonicalSchema(message.type, newest, message.versions[newest] ?? {})),
  ];
}

function memberTable(schema: Readonly<Record<string, unknown>>): string {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const rows = namedSchemas(schema['properties']).map(
    ([name, member]) =>
      `| \`${name}\` | ${required.includes(name) ? 'required' : 'optional'} | ${cell(typeText(member))} | ${cell(describe(member))} |`,
  );
  return ['| member | | type | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function typeText(schema: JsonSchema): string {
  if (typeof schema === 'boolean') return 'any';
  const { type, format, const: constant, $ref: reference } = schema;
  if ('const' in schema) return JSON.stringify(constant);
  if (typeof reference === 'string') return reference.split('/').at(-1) ?? reference;
  return (
    [[type].flat().join(' or '), format].filter((part) => part !== undefined && part !== '').join(', ') ||
    'one of several'
  );
}

function describe(schema: JsonSchema): string {
  if (typeof schema === 'boolean') return '';
  const { description, 'x-absent': absent } = schema;
  const texts = [description, absent === undefined ? undefined : `absent: ${JSON.stringify(absent)}`];
  return texts.filter((text) => typeof text === 'string').join('; ');
}

/** A bar would end the cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

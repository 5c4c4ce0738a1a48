import type { ContractPackage } from '../definition/contract-package.ts';
import type { AnyMessage } from '../definition/message.ts';
import { canonicalSchema, schemaId } from '../freeze/canonical-schema.ts';
import { mapSubschemas } from '../validation/map-subschemas.ts';
import type { JsonSchema, SchemaObject } from '../validation/plain-schema.ts';
import { withoutKeywords } from '../validation/without-keywords.ts';

/** The package as an AsyncAPI 3 document: a channel for each type, a message for each version, with the CloudEvents attributes that tell versions apart. */
export function asyncApiDocument(contracts: ContractPackage, packageVersion: string): object {
  return {
    asyncapi: '3.0.0',
    info: { title: contracts.name, version: packageVersion },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(contracts.messages.map((message) => [message.type, channel(message)])),
    operations: Object.fromEntries(
      contracts.messages.map((message) => [
        `send-${message.type}`,
        { action: 'send', channel: { $ref: `#/channels/${message.type}` } },
      ]),
    ),
    components: {
      messages: Object.fromEntries(
        contracts.messages.flatMap((message) =>
          versionsOf(message).map((version) => [messageKey(message, version), messageObject(message, version)]),
        ),
      ),
    },
  };
}

function channel(message: AnyMessage): object {
  const messages = versionsOf(message).map((version) => [
    messageKey(message, version),
    { $ref: `#/components/messages/${messageKey(message, version)}` },
  ]);
  return {
    address: message.type,
    title: message.type,
    description: `${message.kind}; ${message.delivery.guarantee}, ${message.delivery.duplicates}`,
    messages: Object.fromEntries(messages) as object,
  };
}

function messageObject(message: AnyMessage, version: number): object {
  const schema = canonicalSchema(message.type, version, message.versions[version] ?? {});
  return {
    name: message.type,
    title: `${message.type} version ${version}`,
    contentType: 'application/json',
    headers: {
      type: 'object',
      required: ['ce-type', 'ce-dataschema'],
      properties: {
        'ce-type': { type: 'string', const: message.type },
        'ce-dataschema': { type: 'string', const: schemaId(message.type, version) },
      },
    },
    payload: {
      schemaFormat: 'application/schema+json;version=draft-07',
      // The keywords of the contract dialect mean the same in draft-07, which is what AsyncAPI tools read.
      schema: withoutKeywords(
        embedded(schema, `#/components/messages/${messageKey(message, version)}/payload/schema`),
        '$schema',
        '$id',
      ),
    },
  };
}

/** References lead from the root of the document, which is no longer the root of the schema. */
function embedded(schema: SchemaObject, place: string): SchemaObject;
function embedded(schema: JsonSchema, place: string): JsonSchema;
function embedded(schema: JsonSchema, place: string): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const inside = mapSubschemas(schema, (part) => embedded(part, place));
  const { $ref: reference } = inside;
  return typeof reference === 'string' ? { ...inside, $ref: place + reference.slice(1) } : inside;
}

function versionsOf(message: AnyMessage): readonly number[] {
  return Object.keys(message.versions).map(Number);
}

/** Component keys allow what type names are made of. */
function messageKey(message: AnyMessage, version: number): string {
  return `${message.type}.v${version}`;
}

import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { CLI_SCHEMA } from '../../src/cli/output.ts';

export const text = Type.String();
export const flag = Type.Boolean();
export const count = Type.Integer({ minimum: 0 });
export const amount = Type.Number({ minimum: 0 });
export const version = Type.Integer({ minimum: 1 });
export const instant = Type.String({ format: 'date-time' });
export const uuid = Type.String({ format: 'uuid' });
/** A bigint, which JSON numbers cannot carry. */
export const bigint = Type.String({ pattern: '^[0-9]+$' });
/** `type@version`. */
export const contractName = Type.String({ pattern: '^[^@]+@[1-9][0-9]*$' });

export const list = (items: TSchema): TSchema => Type.Array(items);
export const orNull = (schema: TSchema): TSchema => Type.Union([schema, Type.Null()]);
export const word = (...words: readonly string[]): TSchema => Type.Unsafe({ type: 'string', enum: words });
export const mapOf = (values: TSchema): TSchema => Type.Unsafe({ type: 'object', additionalProperties: values });
export const object = (members: TProperties): TObject => Type.Object(members);
/** A definition beside the documents. */
export const part = (name: string): TSchema => Type.Unsafe({ $ref: `#/$defs/${name}` });

/** One form of an answer. */
export function answer(members: TProperties): TObject {
  return Type.Object({ schema: Type.Literal(CLI_SCHEMA), ...members });
}

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { closedSchema } from './closed-schema.ts';
import { ASSERTED_FORMATS } from './formats.ts';
import { openSchema } from './open-schema.ts';
import { type JsonSchema, plainSchema } from './plain-schema.ts';

/** One finding: where in the schema (names that the schema declares, never payload keys), where in the value, and what. */
export interface Violation {
  readonly schemaPath: string;
  readonly valuePath: string;
  readonly message: string;
}

/** The violations of a value, none when it is valid. */
export type Validator = (value: unknown) => readonly Violation[];

/** How a payload is judged: `open` for readers, who ignore unknown members, `closed` for writers, who may emit declared ones only. */
export type Strictness = 'open' | 'closed';

const compiled: Readonly<Record<Strictness, WeakMap<object, Validator>>> = {
  open: new WeakMap(),
  closed: new WeakMap(),
};

/** The validator of a schema, compiled at its first use and kept as long as the schema object lives. */
export function validatorOf(schema: object, strictness: Strictness): Validator {
  const known = compiled[strictness].get(schema);
  if (known !== undefined) return known;
  const plain = plainSchema(schema);
  const validator = compileSchema(strictness === 'open' ? openSchema(plain) : closedSchema(plain));
  compiled[strictness].set(schema, validator);
  return validator;
}

/**
 * Compiles a schema with the one configuration that readers and writers share. Each schema has an Ajv of its own, so that equal `$id`s
 * in two contracts cannot meet.
 *
 * @throws Error from Ajv for a schema that it cannot compile: an unknown keyword, an unknown format, a reference that leads nowhere.
 */
export function compileSchema(schema: JsonSchema): Validator {
  const ajv = new Ajv2020({
    strictSchema: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowUnionTypes: true,
    // A required member named like something on Object.prototype must really be there.
    ownProperties: true,
    // Readers must see what was written: nothing is converted or filled in.
    coerceTypes: false,
    useDefaults: false,
    logger: false,
  });
  ajv.addVocabulary(['x-absent']);
  // CommonJS: the plugin is the module itself at run time, its `default` member for the types.
  addFormats.default(ajv, { mode: 'full', formats: [...ASSERTED_FORMATS] });
  const validate = ajv.compile(schema);
  return (value) => violations(validate, value);
}

function violations(validate: ValidateFunction, value: unknown): readonly Violation[] {
  try {
    return validate(value) ? [] : (validate.errors ?? []).map(violation);
  } catch (error) {
    // A recursive schema follows the nesting of the value on the stack.
    if (error instanceof RangeError) return [{ schemaPath: '#', valuePath: '', message: 'is nested too deeply' }];
    throw error;
  }
}

function violation(error: ErrorObject): Violation {
  return {
    schemaPath: error.schemaPath,
    valuePath: error.instancePath + extraMember(error),
    message: error.message ?? error.keyword,
  };
}

/** Names the member that is too much, which Ajv's message leaves out. */
function extraMember(error: ErrorObject): string {
  const params: Readonly<Record<string, unknown>> = error.params;
  const extra = params['additionalProperty'] ?? params['unevaluatedProperty'];
  return typeof extra === 'string' ? `/${extra.replaceAll('~', '~0').replaceAll('/', '~1')}` : '';
}

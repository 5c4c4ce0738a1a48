import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { closedCliSchema, DOCUMENTED, definitionOf } from './documents.ts';

const NAME = 'cli';
let ajv: Ajv2020 | null = null;

/** Compiles what one command may answer. The schema is made only for those who ask. */
function validatorOf(command: string): ValidateFunction {
  if (ajv === null) {
    ajv = new Ajv2020({ allErrors: true, strict: true });
    addFormats.default(ajv);
    ajv.addSchema(closedCliSchema(), NAME);
  }
  const validate = ajv.getSchema(`${NAME}#/$defs/${definitionOf(command)}`);
  if (validate === undefined) throw new TypeError(`no schema of ${command}`);
  return validate;
}

/** Throws where a document is not what `schemas/cli.json` says of the command that was given. */
export function checkDocument(args: readonly string[], document: unknown): void {
  const command = commandOf(args);
  // A command line that names no command has an error alone to tell.
  const validate = validatorOf(command ?? 'error');
  if (validate(document)) return;
  const problems = validate.errors?.map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`) ?? [];
  throw new Error(
    `not what schemas/cli.json says of waybill ${command ?? ''}:\n${problems.join('\n')}\n${JSON.stringify(document)}`,
  );
}

/** The command of a command line, as the options of the program may come before it. */
function commandOf(args: readonly string[]): string | undefined {
  const first = args.findIndex(
    (word, at) => !word.startsWith('-') && !['--config', '--output'].includes(args[at - 1] ?? ''),
  );
  const words = args.slice(first);
  return DOCUMENTED.find((command) => command.split(' ').every((word, at) => words[at] === word));
}

import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { cliSchema, DOCUMENTED, definitionOf } from '../../test/documents/documents.ts';

// `vitest -u` writes the file anew after a change of the documents.
test('O04: schemas/cli.json is the JSON Schema of every document, ready for a validator', async () => {
  const text = `${JSON.stringify(cliSchema(), null, 2)}\n`;
  const ajv = new Ajv2020({ strict: true });
  addFormats.default(ajv);
  ajv.addSchema(JSON.parse(text) as object, 'cli');
  for (const command of DOCUMENTED) {
    const validate = ajv.getSchema(`cli#/$defs/${definitionOf(command)}`);
    const error = { code: 'DSP_FAILED', exitCode: 1, problems: ['it failed'] };
    expect(validate?.({ schema: 'waybill.cli/v1', error }), command).toBe(true);
  }
  await expect(text).toMatchFileSnapshot('../../../../schemas/cli.json');
});

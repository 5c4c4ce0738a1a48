import { expect, test } from 'vitest';
import { configSchema } from './json-schema.ts';
import { configurationPage, environmentReference } from './reference.ts';
import { resolveSettings } from './resolve.ts';
import { SETTING_ROWS } from './settings.ts';

const ROOT = '../../../..';

// `vitest -u` writes the files anew after a change of the table.
test('D04: docs/configuration.md says what the table of settings says', async () => {
  await expect(configurationPage()).toMatchFileSnapshot(`${ROOT}/docs/configuration.md`);
});

test('D04: schemas/config.json says what the table of settings says', async () => {
  await expect(`${JSON.stringify(configSchema(), null, 2)}\n`).toMatchFileSnapshot(`${ROOT}/schemas/config.json`);
});

test('D04: the printed environment names every variable, and its defaults are accepted as they stand', () => {
  const reference = environmentReference();
  const environment: Record<string, string> = {};
  for (const [, name = '', value = ''] of reference.matchAll(/^#((?:WAYBILL|OUTBOX)_[A-Z_]+)=(.*)$/gm))
    environment[name] = value;
  expect(Object.keys(environment)).toEqual(expect.arrayContaining(SETTING_ROWS.map(([, setting]) => setting.env)));
  expect(resolveSettings(undefined, environment, []).problems).toEqual([]);
});

import type { Setting } from './setting.ts';
import { SETTING_ROWS } from './settings.ts';
import { CODE_KEYS } from './unknown-keys.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** The JSON Schema of what a configuration file exports, for editors and for tools that write such files. */
export function configSchema(): JsonSchema {
  const top: Record<string, JsonSchema> = {};
  const sections = new Map<string, Record<string, JsonSchema>>();
  for (const [path, setting] of SETTING_ROWS) {
    const [first = path, second] = path.split('.');
    if (second === undefined) top[first] = schemaOf(setting);
    else sections.set(first, { ...sections.get(first), [second]: schemaOf(setting) });
  }
  for (const [section, properties] of sections) top[section] = closedObject(properties);
  for (const key of CODE_KEYS) top[key] = { type: 'array', description: 'Code: see the README of the dispatcher.' };
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Waybill dispatcher', ...closedObject(top) };
}

function closedObject(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', additionalProperties: false, properties };
}

function schemaOf(setting: Setting): JsonSchema {
  const { description } = setting;
  switch (setting.kind) {
    case 'number': {
      const type = setting.whole ? 'integer' : 'number';
      return { type, minimum: setting.min, maximum: setting.max, default: setting.default, description };
    }
    case 'text':
      return { type: 'string', pattern: setting.pattern.source, ...defaultOf(setting.default), description };
    case 'secret':
      return { type: 'string', pattern: setting.pattern.source, writeOnly: true, description };
    case 'choice':
      return { enum: setting.choices, default: setting.default, description };
  }
}

/** An empty default stands for none. */
function defaultOf(text: string): JsonSchema {
  return text === '' ? {} : { default: text };
}

import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { findConfigFile, importConfigFile } from './file.ts';
import { ConfigError } from './problem.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waybill-config-'));
});

async function write(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, text);
  return path;
}

async function failure(path: string): Promise<ConfigError> {
  const error: unknown = await importConfigFile(path).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  return error as ConfigError; // asserted above
}

test('D04: the file is found by its usual names, TypeScript first; one that was asked for must exist', async () => {
  expect(findConfigFile(directory, undefined)).toBeUndefined();
  const script = await write('dispatcher.config.mjs', '');
  expect(findConfigFile(directory, undefined)).toBe(script);
  const typed = await write('dispatcher.config.ts', '');
  expect(findConfigFile(directory, undefined)).toBe(typed);
  expect(findConfigFile(directory, 'dispatcher.config.mjs')).toBe(script);
  expect(() => findConfigFile(directory, 'absent.ts')).toThrow(
    /--config: expected a file, got nothing at .*absent\.ts/,
  );
});

test('D04: TypeScript is loaded without a build step, what Node could not strip included', async () => {
  await write('level.ts', "export enum Level { Quiet = 'warn' }");
  const path = await write(
    'dispatcher.config.ts',
    "import { Level } from './level.ts';\nconst build: string = 'a@1';\nexport default { build, log: { level: Level.Quiet } };",
  );
  expect(await importConfigFile(path)).toEqual({ build: 'a@1', log: { level: 'warn' } });
});

test('D04: JavaScript is loaded, top-level await included', async () => {
  const path = await write('dispatcher.config.mjs', "export default await Promise.resolve({ build: 'a@1' });");
  expect(await importConfigFile(path)).toEqual({ build: 'a@1' });
});

test.each(['ts', 'mjs'])('D04: a %s file without a default export is refused with what to write', async (extension) => {
  const error = await failure(await write(`dispatcher.config.${extension}`, "export const build = 'a@1';"));
  expect(error.code).toBe('DSP_CONFIG_FILE');
  expect(error.message).toMatch(/expected "export default defineDispatcher\(.*got no default export/);
});

test.each(['ts', 'mjs'])(
  'D04: a %s file that throws, or is no program, is refused and the cause is kept',
  async (extension) => {
    const thrown = await failure(await write(`throws.${extension}`, "throw new RangeError('no receiver is set');"));
    expect(thrown.message).toMatch(/cannot be loaded: RangeError: no receiver is set/);
    expect(thrown.cause).toBeInstanceOf(RangeError);
    const broken = await failure(await write(`broken.${extension}`, 'export default {'));
    expect(broken.message).toMatch(/cannot be loaded: /);
    expect(broken.cause).toBeDefined();
  },
);

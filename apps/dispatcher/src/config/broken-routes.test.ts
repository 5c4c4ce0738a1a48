import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cli } from '../../test/cli.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waybill-routes-'));
});
afterAll(() => rm(directory, { recursive: true }));

const message = "{ type: 'parcels.move' }";

describe('a configuration in JavaScript, whose routes nothing has checked', () => {
  test.each([
    ['a list entry that is empty', '{}'],
    ['a target without a way', `{ message: ${message}, to: {} }`],
    ['a way that does not exist', `{ via: 'send', message: ${message} }`],
    ['a message that the module does not export', `{ via: 'call', message: undefined, handler() {} }`],
    ['a handler that is none', `{ via: 'call', message: ${message}, handler: 'move' }`],
    ['a transport that was not made', `{ via: 'publish', message: ${message}, to: undefined, publishAs: null }`],
    ['a transport without a name', `{ via: 'publish', message: ${message}, to: { publish() {} }, publishAs: null }`],
  ])('W08: %s is told by its place, before anything connects', async (what, route) => {
    const file = `${what.replaceAll(' ', '-')}.mjs`;
    const text = `export default { build: 'a@1', contracts: [], routes: [${route}] };`;
    await writeFile(join(directory, file), text);
    for (const command of [['config', 'check'], ['manifest'], ['destinations', 'list']]) {
      const run = await cli([...command, '--config', file, '--json'], {
        directory,
        environment: { WAYBILL_DATABASE_URL: 'postgres://waybill@127.0.0.1:9/none' },
      });
      expect(run.document(), command.join(' ')).toMatchObject({
        error: {
          code: 'DSP_CONFIG_INVALID',
          exitCode: 2,
          problems: ['routes[0]: expected a route made by publish, handle or call, got an object'],
        },
      });
    }
  });

  test('a pause in an incident does not fail for a route that is broken', async () => {
    await writeFile(join(directory, 'pause.mjs'), "export default { routes: [{ via: 'publish', message: {} }] };");
    const by = ['--actor', 'anna', '--reason', 'r', '--config', 'pause.mjs', '--json'];
    const run = await cli(['destinations', 'pause', 'moves', ...by], {
      directory,
      environment: { WAYBILL_DATABASE_URL: 'postgres://waybill@127.0.0.1:9/none' },
    });
    // The store that is not there is what it comes to.
    expect(run.document()).toMatchObject({ error: { exitCode: 69 } });
  });
});

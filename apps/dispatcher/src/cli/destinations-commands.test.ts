import { execFileSync } from 'node:child_process';
import { testDatabase } from '@waybill/local-postgres/vitest';
import { describe, expect, test } from 'vitest';
import { cli } from '../../test/cli.ts';
import { DeadLetters } from '../../test/dead-letters.ts';

const BY = ['--actor', 'ben@example.org', '--reason', 'ticket 17'];
const PARCELS = ['--config', 'parcels.config.ts'];

describe('waybill destinations, dispatchers, delivery-spec, completion', () => {
  test('O01: pauses and resumes destinations and types, audited, and lists them with who, when and why', async () => {
    await using database = await testDatabase();
    const environment = { WAYBILL_DATABASE_URL: database.url };
    await using letters = await DeadLetters.open(database.url);
    expect(await cli(['destinations', 'pause', 'moves', ...BY], { environment })).toMatchObject({
      code: 0,
      stdout: 'paused moves\n',
    });
    expect((await cli(['destinations', 'pause', 'moves', ...BY], { environment })).code).toBe(4);
    expect((await cli(['destinations', 'pause', '--type', 'parcels.weigh', ...BY], { environment })).code).toBe(0);

    const list = (await cli(['destinations', 'list', ...PARCELS, '--json'], { environment })).document();
    expect(Object.keys(list)).toEqual(['schema', 'destinations', 'pauses']);
    expect(list['destinations']).toContainEqual({ destination: 'moves', types: ['parcels.move'], paused: true });
    expect(list['pauses']).toMatchObject([
      { type: null, destination: 'moves', actor: 'ben@example.org', reason: 'ticket 17' },
      { type: 'parcels.weigh', destination: null },
    ]);
    const text = (await cli(['destinations', 'list', ...PARCELS], { environment })).stdout;
    expect(text).toMatch(/^moves +paused +parcels\.move$/m);
    expect(text).toMatch(/^destination moves +paused since \d{4}-.* by ben@example\.org: ticket 17$/m);

    expect((await cli(['destinations', 'resume', 'moves', ...BY], { environment })).stdout).toBe('resumed moves\n');
    expect((await cli(['destinations', 'resume', 'moves', ...BY], { environment })).code).toBe(4);
    expect(await letters.rows('select action from waybill.audit order by id')).toEqual(
      ['pause', 'pause', 'resume'].map((action) => ({ action })),
    );

    const dispatchers = (await cli(['dispatchers', 'list', '--json'], { environment })).document();
    expect(dispatchers['dispatchers']).toEqual([
      {
        id: letters.owner,
        build: 'parcels@test',
        seenSecondsAgo: expect.any(Number) as unknown,
        contracts: 1,
        unreadable: [],
      },
    ]);
  });

  test('O01 O04: a pause of what no route has is made, and said to be of nothing known, with what was probably meant', async () => {
    await using database = await testDatabase();
    const environment = { WAYBILL_DATABASE_URL: database.url };
    const pause = async (...args: readonly string[]): Promise<readonly unknown[]> => {
      const { code, stderr } = await cli(['destinations', 'pause', ...args, ...BY, ...PARCELS], { environment });
      return [code, stderr];
    };
    expect(await pause('moevs')).toEqual([
      0,
      'waybill: warning: no route of this configuration has the destination moevs; did you mean moves?\n',
    ]);
    expect(await pause('--type', 'parcels.lost-and-found')).toEqual([
      0,
      expect.stringContaining('has the type parcels.lost-and-found; see waybill destinations list'),
    ]);
    expect(await pause('moves')).toEqual([0, '']);
    expect(await pause('--type', 'parcels.move')).toEqual([0, '']);
    // Without a configuration nothing is known.
    const bare = await cli(['destinations', 'pause', 'anything', ...BY], { environment });
    expect([bare.code, bare.stderr]).toEqual([0, '']);
  });

  test.each([[['pause', ...BY]], [['pause', 'moves', '--type', 'parcels.weigh', ...BY]], [['resume', 'moves']]])(
    'O04: destinations %j is a wrong command line',
    async (args) => {
      expect(await cli(['destinations', ...args])).toMatchObject({ code: 2, stdout: '' });
    },
  );

  test('prints the specifications and the consumer map of the routes', async () => {
    const { stdout } = await cli(['delivery-spec', ...PARCELS]);
    expect(stdout).toContain(
      '| parcels.notify-owner | provider-side-effect | call | parcels.notify-owner | external | the provider drops a repeated message id |',
    );
    expect(stdout).toContain('| parcels.move | journey-step-command | publish | moves |  |  |');
    expect(stdout).toContain('## parcels.weigh\n\n- guarantee: at-least-once\n- boundary: the receiver has answered');
    const document = (await cli(['delivery-spec', ...PARCELS, '--json'])).document();
    expect(Object.keys(document)).toEqual(['schema', 'consumers']);
  });

  test('O04: bash completes commands, their subcommands and options', async () => {
    const { stdout } = await cli(['completion', 'bash']);
    const complete = (...words: readonly string[]): readonly string[] => {
      const typed = ['waybill', ...words].map((word) => `'${word}'`).join(' ');
      const script = `${stdout}\nCOMP_WORDS=(${typed}) COMP_CWORD=${String(words.length)}; _waybill; echo "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(' ');
    };
    expect(complete('de')).toEqual(['dead', 'destinations', 'delivery-spec']);
    expect(complete('--json', 'dead', '')).toEqual(expect.arrayContaining(['list', 'show', 'replay', 'discard']));
    expect(complete('dead', 'replay', '--ex')).toEqual(['--expect-count']);
    expect(complete('run', '--')).not.toContain('--quarantine');
  });

  test('O04: the scripts of zsh and fish know every command too', async () => {
    for (const shell of ['zsh', 'fish']) {
      const { code, stdout } = await cli(['completion', shell]);
      expect([code, stdout.includes('dead replay'), stdout.includes('--expect-count')]).toEqual([0, true, true]);
    }
    expect((await cli(['completion', 'csh'])).code).toBe(2);
  });
});

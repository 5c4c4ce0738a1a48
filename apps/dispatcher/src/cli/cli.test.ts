import { describe, expect, test } from 'vitest';
import { waybill } from '../../test/waybill-process.ts';

const PARCELS = ['--config', 'parcels.config.ts'];
// Nothing listens on the discard port.
const NO_DATABASE = { WAYBILL_DATABASE_URL: 'postgres://waybill:hunter2@127.0.0.1:9/none' };

interface Case {
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly code: number;
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
}

const CASES: readonly Case[] = [
  { args: [], code: 2, stderr: /Usage: waybill/ },
  { args: ['--help'], code: 0, stdout: /Exit codes: 0 ok/ },
  { args: ['schema'], code: 2, stderr: /Usage: waybill schema/ },
  { args: ['shema'], code: 2, stderr: /unknown command 'shema'\n\(Did you mean schema\?\)/ },
  { args: ['schema', 'plan', '--force'], code: 2, stderr: /unknown option '--force'/ },
  { args: ['schema', 'plan', 'extra'], code: 2, stderr: /too many arguments/ },
  { args: ['schema', 'plan', '--output', 'yaml'], code: 2, stderr: /Allowed choices are table, json/ },
  { args: ['schema', 'plan'], code: 0, stdout: /create schema if not exists "waybill"/ },
  {
    args: ['schema', 'plan'],
    environment: { WAYBILL_SCHEMA: 'My-Outbox' },
    code: 0,
    stdout: /create schema if not exists "My-Outbox"/,
  },
  {
    args: ['schema', 'plan'],
    environment: { WAYBILL_SCHEMA: 'x'.repeat(64) },
    code: 2,
    stderr: /^waybill: schema: expected a PostgreSQL schema name/,
  },
  {
    args: ['schema', 'grants', '--producer', 'the-shop', '--operator', 'ops'],
    code: 0,
    stdout: /grant execute on function "waybill"\.enqueue.* to "the-shop";[^]*-- operator/,
  },
  { args: ['schema', 'apply'], code: 2, stderr: /database\.url: expected a postgres:\/\/ URL, got nothing/ },
  { args: ['schema', 'apply'], environment: NO_DATABASE, code: 69, stderr: /the store cannot be used: .*ECONNREFUSED/ },
  { args: ['schema', 'apply', '--dry-run'], environment: NO_DATABASE, code: 69, stderr: /cannot be used/ },
  { args: ['schema', 'doctor'], environment: NO_DATABASE, code: 69, stderr: /cannot be used/ },
  { args: ['config', 'env'], code: 0, stdout: /#WAYBILL_LEASE_MS=30000/ },
  { args: ['config', 'check'], code: 2, stderr: /expected one of dispatcher\.config\.ts, .* got none/ },
  { args: ['config', 'check', ...PARCELS], code: 0, stdout: /health\.port +0 +file/ },
  {
    args: ['config', 'check', '--config', 'absent.ts'],
    code: 2,
    stderr: /--config: expected a file, got nothing at .*absent\.ts/,
  },
  {
    args: ['config', 'check', '--config', 'unrouted.config.ts'],
    code: 2,
    stderr: /parcels\.move: no route.*\n.*parcels\.weigh: no route/,
  },
  {
    args: ['run', '--config', 'unrouted.config.ts'],
    environment: NO_DATABASE,
    code: 2,
    stderr: /parcels\.move: no route/,
  },
  { args: ['run', ...PARCELS], code: 2, stderr: /database\.url: expected a postgres:\/\/ URL, got nothing/ },
  { args: ['manifest', ...PARCELS], code: 0, stdout: /"schema": "waybill\.manifest\/v1"/ },
  { args: ['health', '--url', 'ftp://x'], code: 2, stderr: /expected an http:\/\/ URL/ },
  {
    args: ['health', '--url', 'http://127.0.0.1:9/readyz'],
    code: 69,
    stderr: /no answer from http:\/\/127\.0\.0\.1:9/,
  },
];

describe('O04: exit code and streams', () => {
  test.each(CASES)(
    'waybill $args ($environment) exits with $code',
    async ({ args, environment, code, stdout, stderr }) => {
      const finished = await waybill(args, environment);
      expect(finished).toMatchObject({ code });
      // What is not data goes to standard error; with data, standard error stays silent.
      if (stdout === undefined) expect(finished.stdout).toBe('');
      else expect(finished.stdout).toMatch(stdout);
      if (stderr === undefined) expect(finished.stderr).toBe('');
      else expect(finished.stderr).toMatch(stderr);
      expect(finished.stdout + finished.stderr).not.toContain('hunter2');
    },
  );
});

describe('O04: JSON', () => {
  // A released member keeps its name: this table may only grow.
  test.each<[readonly string[], number, readonly string[]]>([
    [['schema', 'plan'], 0, ['name', 'sql']],
    [['schema', 'grants'], 0, ['name', 'sql']],
    [['config', 'env'], 0, ['variables']],
    [['config', 'check', ...PARCELS], 0, ['file', 'settings', 'warnings']],
    [['config', 'check', '--config', 'mistakes.config.mjs'], 2, ['error']],
    [['schema', 'doctor'], 69, ['error']],
    [['schema', 'unknown'], 2, ['error']],
    [['unknown'], 2, ['error']],
  ])('standard output of %j is one document, also when the command fails', async (args, code, members) => {
    const finished = await waybill(['--json', ...args], NO_DATABASE);
    expect(finished.code).toBe(code);
    const document = JSON.parse(finished.stdout) as Readonly<Record<string, unknown>>;
    expect(document['schema']).toBe('waybill.cli/v1');
    expect(Object.keys(document)).toEqual(['schema', ...members]);
  });

  test('an error says its code, its exit code and every problem', async () => {
    const { stdout } = await waybill(['run', ...PARCELS, '--json']);
    expect(JSON.parse(stdout)).toEqual({
      schema: 'waybill.cli/v1',
      error: { code: 'DSP_CONFIG_INVALID', exitCode: 2, problems: [expect.stringMatching(/^database\.url: expected/)] },
    });
  });

  test('--json is short for --output json, and both may stand behind the command', async () => {
    const [short, long] = await Promise.all([
      waybill(['config', 'env', '--json']),
      waybill(['config', 'env', '--output', 'json']),
    ]);
    expect(short).toEqual(long);
  });

  test('D04: all problems of a configuration are reported together', async () => {
    const { code, stderr } = await waybill(['config', 'check', '--config', 'mistakes.config.mjs']);
    expect(code).toBe(2);
    expect(stderr.trimEnd().split('\n')).toEqual([
      'waybill: contracts: expected a list of contract packages (defineContracts), got "parcels"',
      'waybill: routes: expected a list of routes (publish, handle, call), got nothing',
      'waybill: lease.renewEvryMs: no setting has this name; did you mean lease.renewEveryMs?',
      'waybill: worker: no setting has this name; did you mean workers?',
      expect.stringMatching(/^waybill: build: expected a build name .* got "two words"$/),
      'waybill: lease.renewEveryMs: expected less than half of lease.leaseMs (10000), got 10000',
    ]);
  });

  test('D04: the manifest says what the build reads and writes, and where it publishes', async () => {
    const { stdout } = await waybill(['manifest', ...PARCELS]);
    expect(JSON.parse(stdout)).toEqual({
      schema: 'waybill.manifest/v1',
      build: 'parcels@1.0.0',
      readers: { 'parcels.move': [1, 2], 'parcels.notify-owner': [1], 'parcels.weigh': [1] },
      writers: { 'parcels.move': [2], 'parcels.notify-owner': [1], 'parcels.weigh': [1] },
      destinations: ['moves'],
    });
  });
});

import { describe, expect, test } from 'vitest';
import { type Resolution, resolveSettings } from './resolve.ts';
import { SETTING_ROWS } from './settings.ts';

const DATABASE_URL = 'postgres://waybill:hunter2@db.example/orders';

function problems(file: unknown, environment: Record<string, string> = {}): readonly string[] {
  return resolveSettings(file, environment, []).problems;
}

function settings(resolution: Resolution): Resolution['settings'] {
  expect(resolution.problems).toEqual([]);
  return resolution.settings;
}

describe('precedence', () => {
  test('D04: without file and environment every setting has its default, and the defaults agree with each other', () => {
    const resolution = resolveSettings(undefined, {}, []);
    expect(settings(resolution).lease).toEqual({ leaseMs: 30_000, renewEveryMs: 10_000 });
    expect(new Set(resolution.sources.values())).toEqual(new Set(['default']));
  });

  test('D04: the environment wins over the file, and the file over the default', () => {
    const file = { lease: { leaseMs: 60_000 }, workers: { concurrency: 4 } };
    const resolution = resolveSettings(file, { WAYBILL_LEASE_MS: '40000' }, []);
    expect(settings(resolution)).toMatchObject({
      lease: { leaseMs: 40_000, renewEveryMs: 10_000 },
      workers: { concurrency: 4 },
    });
    expect(resolution.sources.get('lease.leaseMs')).toBe('environment');
    expect(resolution.sources.get('workers.concurrency')).toBe('file');
    expect(resolution.sources.get('lease.renewEveryMs')).toBe('default');
  });

  test('D04: an empty variable counts as absent, and DATABASE_URL is asked last', () => {
    expect(settings(resolveSettings(undefined, { WAYBILL_LEASE_MS: '' }, [])).lease.leaseMs).toBe(30_000);
    const general = { DATABASE_URL, WAYBILL_DATABASE_URL: '' };
    expect(settings(resolveSettings(undefined, general, [])).database.url).toBe(DATABASE_URL);
    const both = { DATABASE_URL, WAYBILL_DATABASE_URL: 'postgres://other/' };
    expect(settings(resolveSettings(undefined, both, [])).database.url).toBe('postgres://other/');
  });

  test('D04: the result is frozen throughout', () => {
    const { settings: frozen } = resolveSettings(undefined, {}, []);
    expect(Object.isFrozen(frozen) && Object.isFrozen(frozen.lease)).toBe(true);
  });
});

describe('problems', () => {
  test('D04: all of them are reported together, each with its path, what was expected and what was there', () => {
    const file = { workers: { concurrency: 0 }, lease: { leaseMs: 'soon' }, log: { level: 'loud' } };
    expect(problems(file, { WAYBILL_HEALTH_PORT: 'tcp://10.0.0.1:80' })).toEqual([
      'workers.concurrency: expected a whole number of workers from 1 to 1000, got 0',
      'lease.leaseMs: expected a whole number of milliseconds from 1000 to 86400000, got "soon"',
      'health.port: expected a whole number from 0 to 65535, got "tcp://10.0.0.1:80" (from WAYBILL_HEALTH_PORT)',
      'log.level: expected one of trace, debug, info, warn, error, fatal, silent, got "loud"',
    ]);
  });

  test.each([
    [{ leas: {} }, 'leas: no setting has this name; did you mean lease?'],
    [{ lease: { leasMs: 1 } }, 'lease.leasMs: no setting has this name; did you mean lease.leaseMs?'],
    [{ route: [] }, 'route: no setting has this name; did you mean routes?'],
    [{ dashboard: {} }, 'dashboard: no setting has this name'],
    [{ lease: 30 }, 'lease: expected an object, got 30'],
    [
      { lease: { leaseMs: { unit: 's' } } },
      'lease.leaseMs: expected a whole number of milliseconds from 1000 to 86400000, got an object',
    ],
  ])('D04: %j is refused', (file, problem) => {
    expect(problems(file)).toEqual([problem]);
  });

  test('D04: members of Object.prototype are no settings', () => {
    expect(problems({ lease: JSON.parse('{"__proto__": 1, "constructor": 2}') as unknown })).toHaveLength(2);
    expect(problems(Object.create({ build: 7 }))).toEqual([]);
  });

  test('D04: a misspelt variable is a warning, for it may belong to somebody else', () => {
    const { problems, warnings } = resolveSettings(undefined, { WAYBILL_LAESE_MS: '1', WAYBILL_OTHER: 'x' }, []);
    expect(problems).toEqual([]);
    expect(warnings).toEqual(['WAYBILL_LAESE_MS: no setting has this name; did you mean WAYBILL_LEASE_MS?']);
  });

  test('D04: a setting without a default is missed only by the command that needs it', () => {
    expect(problems(undefined)).toEqual([]);
    expect(resolveSettings(undefined, {}, ['database.url']).problems).toEqual([
      'database.url: expected a postgres:// URL, got nothing; set WAYBILL_DATABASE_URL or write it into the file',
    ]);
  });

  test('D04: a secret is never shown, neither a wrong one', () => {
    const [problem = ''] = problems({ database: { url: 'mysql://root:hunter2@db/x' } });
    expect(problem).toMatch(/^database\.url: expected a postgres:\/\/ URL, got something else/);
    expect(problem).not.toContain('hunter2');
  });
});

describe('rules between settings', () => {
  test.each([
    [
      { lease: { leaseMs: 10_000, renewEveryMs: 5_000 } },
      'lease.renewEveryMs: expected less than half of lease.leaseMs (10000), got 5000',
    ],
    [{ retry: { baseMs: 5_000, capMs: 4_000 } }, 'retry.capMs: expected at least retry.baseMs (5000), got 4000'],
    [{ polling: { busyMs: 50, idleMs: 10 } }, 'polling.idleMs: expected at least polling.busyMs (50), got 10'],
    [
      { health: { stalledAfterMs: 2_000 } },
      'health.stalledAfterMs: expected at least 3 times polling.idleMs (3000), got 2000',
    ],
    [
      { shutdown: { drainMs: 30_000 } },
      'shutdown.drainMs: expected at most shutdown.terminationMs - 10000 (20000), so that closing comes before the kill, got 30000',
    ],
  ])('D04: %j is refused', (file, problem) => {
    expect(problems(file)).toEqual([problem]);
  });

  test('D04: a rule is not asked about a setting that is wrong by itself', () => {
    expect(problems({ lease: { leaseMs: -1, renewEveryMs: 20_000 } })).toHaveLength(1);
  });
});

describe('values', () => {
  const timers = SETTING_ROWS.flatMap(([path, setting]) =>
    setting.kind === 'number' && setting.unit === 'ms' ? [{ path, setting }] : [],
  );

  test.each(timers)('F035: $path refuses what is no delay or too long for a timer', ({ path, setting }) => {
    const [section = '', key = ''] = path.split('.');
    for (const value of [2 ** 31, 30 * 86_400_000, Number.POSITIVE_INFINITY, Number.NaN, -1, '5', 1.5, null]) {
      expect(problems({ [section]: { [key]: value } }), String(value)).toContainEqual(
        expect.stringContaining(`${path}: expected`),
      );
    }
    for (const text of ['1e9', '0x10', '30s', ' 5', 'Infinity', '2147483648']) {
      expect(problems(undefined, { [setting.env]: text }), text).toContainEqual(
        expect.stringContaining(`${path}: expected`),
      );
    }
  });

  test.each(['', 'a\u0000b', 'x'.repeat(64), 'ü'.repeat(32), 7])(
    'F056: the schema name %j is refused before any SQL',
    (schema) => {
      expect(problems({ schema })).toHaveLength(1);
    },
  );

  test.each(['My-Schema', 'select', 'a"b', "a'b", 'a;drop table t;--', 'x.y', 'x'.repeat(63)])(
    'F056: the schema name %j is left to the store to quote',
    (schema) => {
      expect(settings(resolveSettings({ schema }, {}, [])).schema).toBe(schema);
    },
  );

  test('D04: names of variables are unique', () => {
    const names = SETTING_ROWS.map(([, setting]) => setting.env);
    expect(new Set(names).size).toBe(names.length);
  });
});

import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

// Packages of the workspace are tested from their sources, without a build; others as Node takes them, which leaves "module" to bundlers.
const conditions = ['@waybill/source', ...defaultServerConditions.filter((condition) => condition !== 'module')];
const everything = ['packages/**/src/**/*.test.ts', 'apps/**/src/**/*.test.ts', 'test/**/*.test.ts'];
const tidy = ['test/tidy/**/*.test.ts'];
/** Checked-in files that are generated, each compared with what its generator says now. */
const generated = ['apps/dispatcher/src/config/reference.test.ts', '**/*.generated.test.ts'];

/** What depends on the server: migrations, enqueue on both drivers, the life cycle, concurrency, plans, rights. */
const servers = [
  'packages/store/src/{migrate,state,record-view,stress,surroundings,settings,roles}.test.ts',
  'packages/store/src/{create-once,doctor,enqueue,generations,inbox,operators,rollout,statements}/**/*.test.ts',
  'packages/store/src/drivers/{pg,postgres,lost-connection}.test.ts',
];
/** `WAYBILL_POSTGRES=14,15` adds a project for each of these versions of PostgreSQL, which runs the tests of the store against it. */
const versions = process.env['WAYBILL_POSTGRES']?.split(',') ?? [];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // Vitest runs the global set-up in an environment of its own.
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    pool: 'forks',
    maxWorkers: 2,
    // For hangs alone, so no busy machine reaches them. What a test waits for has less, so that the failure says what that was.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 120_000, interval: 20 } },
    // Errors that no test awaited fail the run, and a run without a test is a mistake.
    dangerouslyIgnoreUnhandledErrors: false,
    passWithNoTests: false,
    projects: [
      // The rules only read: their files share what has been parsed.
      { extends: true, test: { name: 'tidy', include: tidy, isolate: false } },
      { extends: true, test: { name: 'generated', include: generated } },
      ...versions.map((version) => ({
        extends: true as const,
        test: {
          name: `postgres-${version}`,
          include: servers,
          // The plans on 200,000 rows take a minute for each version; those of the operators' reads, which differ most, are among the rest.
          exclude: [...generated, 'packages/store/src/statements/plans.test.ts'],
          globalSetup: ['test/setup/other-postgres.ts'],
        },
      })),
      {
        extends: true,
        test: {
          name: 'suite',
          include: everything,
          exclude: ['**/node_modules/**', ...tidy, ...generated],
          globalSetup: ['test/setup/postgres.ts'],
        },
      },
    ],
  },
});

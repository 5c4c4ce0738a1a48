import { expect, test } from 'vitest';
import { resolveSettings } from '../config/resolve.ts';
import { handlerOptions, heartbeatOptions, workOptions } from './databases.ts';

const file = {
  build: `orders@${'1'.repeat(80)}`,
  database: { url: 'postgres://db/x' },
  lease: { leaseMs: 9_000, renewEveryMs: 3_000 },
};
const { settings } = resolveSettings(file, {}, []);

test('F026: every wait for the database is bounded, and the heartbeat waits no longer than until its next beat', () => {
  expect(workOptions(settings)).toMatchObject({ max: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 30_000 });
  expect(heartbeatOptions(settings)).toMatchObject({ max: 2, connectTimeoutMs: 3_000, statementTimeoutMs: 3_000 });
  expect(handlerOptions(settings)).toMatchObject({ max: 16, connectTimeoutMs: 5_000, statementTimeoutMs: 600_000 });
});

test('F026: connections carry the name of the build, as far as PostgreSQL keeps it', () => {
  expect(workOptions(settings).applicationName).toMatch(/^waybill\/orders@1+$/);
  expect(workOptions(settings).applicationName).toHaveLength(63);
});

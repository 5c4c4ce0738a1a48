import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

import { lockFor, lockProblems, type MigrationLock } from '../test/migration-lock.ts';
import { readMigrations } from './migrations.ts';

const LOCK = '../sql/migrations/lock.json';
const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
// Written by the tests below alone.
const lock = read(LOCK) as MigrationLock;
const { version } = read('../package.json') as { readonly version: string };

test('S07 F079: no released step of the schema was changed or is gone', () => {
  expect(lockProblems(lock, readMigrations())).toEqual([]);
});

// A release moves the version of the package; `npx vitest run --project generated -u` then freezes the steps that it is the first to carry.
test('S07 F079: the lock holds every step of the released version', async () => {
  await expect(`${JSON.stringify(lockFor(lock, version, readMigrations()), null, 2)}\n`).toMatchFileSnapshot(LOCK);
});

const step = (number: number, checksum: string) => ({ number, name: 'outbox', checksum });
const frozen = { version: '1.0.0', released: { '0001_outbox': 'a' } };

test('S07: a step that is not released may change until a version carries it', () => {
  expect(lockFor(frozen, '1.0.0', [step(1, 'a'), step(2, 'b')])).toEqual(frozen);
  expect(lockFor(frozen, '1.1.0', [step(1, 'a'), step(2, 'b')])).toEqual({
    version: '1.1.0',
    released: { '0001_outbox': 'a', '0002_outbox': 'b' },
  });
});

test('S07: a released step that was changed or is gone is named, and a new version does not make it right', () => {
  expect(lockProblems(frozen, [step(1, 'changed')])).toEqual([
    expect.stringContaining('0001_outbox is released and was changed'),
  ]);
  expect(lockProblems(frozen, [step(2, 'b')])).toEqual([
    expect.stringContaining('0001_outbox is released and is gone'),
  ]);
  const later = lockFor(frozen, '2.0.0', [step(1, 'changed')]);
  expect(lockProblems(later, [step(1, 'changed')])).toHaveLength(1);
});

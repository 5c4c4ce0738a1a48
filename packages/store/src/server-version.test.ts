import { testDatabase } from '@waybill/local-postgres/vitest';
import { expect, test } from 'vitest';

import { openSession } from '../test/session.ts';
import { checkSchema } from './migrate.ts';
import { requireSupportedVersion } from './server-version.ts';
import { openStore } from './store.ts';

test.each([140_000, 150_018, 180_000, 190_001])('S09: version %i is supported', (version) => {
  expect(() => requireSupportedVersion(version)).not.toThrow();
});

test.each([90_624, 130_022, 139_999])('S09: version %i is refused with a code', (version) => {
  expect(() => requireSupportedVersion(version)).toThrow(
    expect.objectContaining({ code: 'STO_SERVER_TOO_OLD' }) as Error,
  );
});

test('S09: whoever checks the schema, as a dispatcher does at its start, learns that the server is too old', async () => {
  await using database = await testDatabase();
  const session = await openSession(database.url);
  // No such server at hand: the one that there is claims to be another.
  await session.query(`create schema old;
    create function old.current_setting(text) returns text language sql return '130022';
    set search_path = old, pg_catalog`);
  await expect(checkSchema(openStore(session))).rejects.toMatchObject({ code: 'STO_SERVER_TOO_OLD' });
  await session.query('reset search_path');
  expect(await checkSchema(openStore(session))).toEqual({ status: 'ready' });
  await session.close();
});

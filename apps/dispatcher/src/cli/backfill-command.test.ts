import { testDatabase } from '@waybill/local-postgres/vitest';
import { expect, test } from 'vitest';
import { cli } from '../../test/cli.ts';
import { DeadLetters } from '../../test/dead-letters.ts';

test('Q09: schema backfill-keys writes the keys of the backlog by the contracts of the configuration', async () => {
  await using database = await testDatabase();
  const environment = { WAYBILL_DATABASE_URL: database.url };
  await using letters = await DeadLetters.open(database.url);
  const backfill = (...more: readonly string[]) =>
    cli(['schema', 'backfill-keys', '--config', 'parcels.config.ts', ...more], { environment });
  await letters.writeKeyless('one', 'two');
  expect(await backfill()).toMatchObject({ code: 0, stdout: 'complete: wrote 2 keys\n' });
  expect(await letters.rows('select record_key from waybill.delivery order by position')).toEqual([
    { record_key: 'Parcel/one' },
    { record_key: 'Parcel/two' },
  ]);

  await letters.writeKeyless('three');
  await letters.rows(`update waybill.contract set type = 'parcels.forgotten'`);
  const partial = await backfill('--json');
  expect(partial.code).toBe(75);
  expect(partial.document()).toMatchObject({
    outcome: 'partial',
    filled: 0,
    unreadable: [{ type: 'parcels.forgotten', version: 1, why: 'unknown-type', count: 1 }],
  });
  expect((await backfill()).stderr).toContain('not readable by this build: 1 of parcels.forgotten@1 (unknown-type)');
});

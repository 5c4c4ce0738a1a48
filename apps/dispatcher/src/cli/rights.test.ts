import { testDatabase } from '@waybill/local-postgres/vitest';
import { expect, test } from 'vitest';
import { cli } from '../../test/cli.ts';
import { withClient } from '../../test/database.ts';

const BY = ['--actor', 'ben@example.org', '--reason', 'ticket 17'];

test('S08 O04: a role that lacks rights is refused, a wrong password is an unavailable store, and neither shows a secret', async () => {
  await using database = await testDatabase();
  const role = `stranger_${String(process.pid)}`;
  await withClient(database.url, (client) => client.query(`create role ${role} login password 'hunter2-hunter2'`));
  const as = (password: string): Readonly<Record<string, string>> => {
    const url = new URL(database.url);
    url.username = role;
    url.password = password;
    return { DATABASE_URL: url.href };
  };
  try {
    for (const args of [['status'], ['dead', 'list'], ['destinations', 'pause', 'moves', ...BY], ['schema', 'apply']]) {
      const refused = await cli([...args, '--json'], { environment: as('hunter2-hunter2') });
      expect([refused.code, refused.document()['error']], args.join(' ')).toEqual([
        4,
        { code: 'DSP_NO_RIGHTS', exitCode: 4, problems: [expect.stringContaining('permission denied')] },
      ]);
      const wrong = await cli(args, { environment: as('wrong-hunter2') });
      expect([wrong.code, wrong.stderr]).toEqual([69, expect.stringContaining('password authentication failed')]);
      expect(refused.stdout + refused.stderr + wrong.stdout + wrong.stderr).not.toContain('hunter2');
    }
  } finally {
    await withClient(database.url, (client) => client.query(`drop role ${role}`));
  }
});

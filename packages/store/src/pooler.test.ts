/** Through PgBouncer in transaction mode each transaction may run on another server connection: nothing may live in a session. */
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabase } from '@waybill/local-postgres/vitest';
import { freePort, startServerProcess, withProgram } from '@waybill/local-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { DRIVERS, type DriverUnderTest } from '../test/drivers.ts';
import { ParcelMoved } from '../test/messages.ts';
import { openSession } from '../test/session.ts';
import { createClaimer } from './claimer.ts';
import { registerContracts } from './contracts.ts';
import { connectPg } from './drivers/pg.ts';
import { listenForHints } from './drivers/pg-hints.ts';
import { entry } from './enqueue/prepare.ts';
import type { Database } from './executor.ts';
import { checkSchema, migrate } from './migrate.ts';
import {
  drainDispatcher,
  leaveDispatcher,
  registerDispatcher,
  seeDispatcher,
} from './statements/dispatcher-registry.ts';
import { renew } from './statements/renew.ts';
import { settle } from './statements/settle.ts';
import { sweep } from './statements/sweep.ts';
import { openStore } from './store.ts';

/** Two server connections for everybody, with whatever a session leaves on them. */
async function startPooler(program: string, databaseUrl: string) {
  const { hostname, port: serverPort, pathname, username, password } = new URL(databaseUrl);
  const directory = await mkdtemp(join(tmpdir(), 'waybill-pgbouncer-'));
  await chmod(directory, 0o755);
  const port = await freePort();
  const file = join(directory, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
shop = host=${hostname} port=${serverPort} dbname=${pathname.slice(1)} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${String(port)}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
server_reset_query =
ignore_startup_parameters = statement_timeout
`,
  );
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const server = await startServerProcess({ program, args: [...user, file], port });
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(directory, { recursive: true });
  };
  return { url: `postgres://anybody:x@127.0.0.1:${String(port)}/shop`, stop };
}

withProgram({ test }, 'pgbouncer', process.env, (program) => {
  describe('S09 F030: through PgBouncer in transaction mode, two server connections', () => {
    let url: string;
    let directUrl: string;
    const ending: (() => PromiseLike<unknown>)[] = [];
    beforeAll(async () => {
      const database = await testDatabase({ empty: true });
      directUrl = database.url;
      const pooler = await startPooler(program, directUrl);
      url = pooler.url;
      ending.push(pooler.stop, () => database[Symbol.asyncDispose]());
    });
    afterAll(async () => {
      for (const end of ending) await end();
    });

    test('S09 F030: three processes migrate at once, and no session keeps a lock', async () => {
      const processes = [1, 2, 3].map(() => connectPg({ url, max: 2 }));
      const applied = await Promise.all(processes.map((database) => migrate(openStore(database))));
      expect(applied.filter(({ applied: steps }) => steps.length > 0)).toHaveLength(1);
      expect(await checkSchema(openStore(processes[0]!))).toEqual({ status: 'ready' });
      await Promise.all(processes.map((database) => database.close()));
      const session = await openSession(directUrl);
      expect(
        await session.query(
          `select 1 from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
        ),
      ).toEqual([]);
      await session.close();
    });

    test.each(DRIVERS)('S09 F030: enqueue and a whole dispatcher life on $driver', async ({ connect }) => {
      // With prepared statements postgres loses commits here, in silence: the README says so.
      const producers = [1, 2, 3, 4].map(() => connect(url, { max: 2, prepare: false }));
      const database = connectPg({ url, max: 4 });
      await Promise.all(producers.map((driver, producer) => produce(driver, producer)));
      expect(await drainAll(database)).toBe(4 * 5 * 2);
      await Promise.all([...producers, database].map((each) => each.close()));

      const session = await openSession(url);
      const [left] = await session.query(
        `select current_setting('search_path') as path, current_setting('enable_seqscan') as scan, current_setting('jit') as jit,
           (select count(*)::integer from pg_prepared_statements) as prepared`,
      );
      expect(left, 'nothing is left on a server connection').toEqual({
        path: '"$user", public',
        scan: 'on',
        jit: 'on',
        prepared: 0,
      });
      await session.close();
    });

    test('F030 F061: no hints come through it, and whoever asks for them is told so', async () => {
      const database = connectPg({ url, max: 1 });
      const listening = listenForHints(openStore(database), { url, connectTimeoutMs: 500 }, () => undefined);
      await expect(listening).rejects.toMatchObject({ code: 'STO_NO_HINTS' });
      await database.close();
    });

    async function produce(driver: DriverUnderTest, producer: number): Promise<void> {
      for (let step = 0; step < 5; step += 1)
        await driver.transaction(async (unit) => {
          expect(await unit.inbox(`producer ${String(producer)}`, randomUUID())).toBe('first');
          await unit.enqueueMany([0, 1].map((n) => entry(ParcelMoved, { id: `k${String(producer % 2)}`, step: n })));
        });
    }

    /** Registers, claims, renews, settles, sweeps, drains and leaves. Gives how many records it has delivered. */
    async function drainAll(database: Database): Promise<number> {
      const store = openStore(database);
      const owner = randomUUID();
      const contracts = await registerContracts(
        store,
        [{ type: ParcelMoved.type, version: ParcelMoved.newest, kind: ParcelMoved.kind }],
        'test',
      );
      await registerDispatcher(store, { id: owner, build: 'b', contractIds: [...contracts.values()] });
      const claimer = createClaimer(store, { owner, contracts, leaseMs: 60_000, now: () => 0 });
      let delivered = 0;
      for (;;) {
        const { runs } = await claimer.claim({ limit: 10, runLength: 4, timed: true });
        if (runs.length === 0) break;
        expect((await renew(database, store, { owner, leases: runs, leaseMs: 60_000 })).renewed.size).toBe(runs.length);
        const settled = await settle(
          database,
          store,
          owner,
          runs.map(({ head, fence, records }) => ({
            head,
            fence,
            delivered: records.map(({ position }) => position),
            next: { then: 'release' } as const,
          })),
        );
        expect(settled.every(({ status }) => status === 'settled')).toBe(true);
        delivered += runs.flatMap(({ records }) => records).length;
        await sweep(database, store, { most: 10, retryMs: 0 });
        expect((await seeDispatcher(store, { id: owner })).registered).toBe(true);
      }
      await drainDispatcher(store, owner);
      await leaveDispatcher(store, owner);
      return delivered;
    }
  });
});

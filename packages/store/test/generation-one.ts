/** The library of generation 1, as far as the database can tell: its calls, recorded, with none of our code behind them. Frozen. */
import type { Executor, Row } from '../src/executor.ts';
import { readMigrations } from '../src/migrations.ts';
import { applyMigration, createMigrationTable, createSchema } from '../src/statements/migration.ts';
import { openStore, type Store } from '../src/store.ts';
import type { Session } from './session.ts';

/** Creates the tables as generation 1 had them. */
export async function installGenerationOne(session: Session, schema: string): Promise<Store> {
  const store = openStore(session, { schema });
  await createSchema(session, store);
  await createMigrationTable(session, store);
  for (const step of readMigrations().filter(({ number }) => number < 2)) await applyMigration(session, store, step);
  return store;
}

export interface OldRecord {
  readonly position: string;
  readonly fence: string;
  readonly payload: string;
}

/** What a process that still runs the old library sends. It knows of no record keys. */
export function oldLibrary(executor: Executor, quoted: string) {
  return {
    async enqueue(type: string, version: number, ...payloads: readonly unknown[]): Promise<readonly Row[]> {
      const messages = payloads.map(() => ({ type, version, kind: 'integration-event', event: 'EVT-PARCEL-MOVED' }));
      return executor.query(`select outcome from ${quoted}.enqueue($1::text::json, $2::text::json, $3::text)`, [
        JSON.stringify(messages),
        JSON.stringify(payloads),
        null,
      ]);
    },

    async claim(owner: string, contractIds: readonly number[], most = 100): Promise<readonly OldRecord[]> {
      const rows = await executor.query(
        `select position_::text as position, fence::text as fence, payload from ${quoted}.claim_batch($1::uuid, $2::integer, 60000::bigint, $3::integer[])`,
        [owner, most, contractIds],
      );
      return rows.map((row) => ({
        position: String(row['position']),
        fence: String(row['fence']),
        payload: String(row['payload']),
      }));
    },

    async settle(owner: string, { position, fence }: OldRecord, outcome: string): Promise<boolean> {
      const rows = await executor.query(
        `select * from ${quoted}.settle_batch($1::uuid, $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[])`,
        [owner, [position], [fence], [outcome], [0], [outcome === 'dead-letter' ? 'refused' : null], ['no']],
      );
      return rows.length === 1;
    },
  };
}

import { createReaders } from '@waybill/contracts';
import { type BackfillResult, backfillKeys, migrate, openStore, type Store, schemaSql } from '@waybill/store';
import { connectPg } from '@waybill/store/pg';
import { Outbox } from './loop.ts';
import { MoveParcel, parcels, WeighParcel } from './parcels.ts';

/** An outbox for the running test whose tables are of generation 1, as an installation from before record keys has them. */
export async function oldOutbox(): Promise<Outbox> {
  const outbox = await Outbox.forTest({ empty: true });
  const [first] = schemaSql('waybill').split('-- 0002_');
  await outbox.query(first ?? '');
  return outbox;
}

/** Brings the tables up to date, beside whoever is at work. */
export async function migrateOutbox(outbox: Outbox): Promise<void> {
  await withStore(outbox, migrate);
}

/** Writes the keys that are missing. */
export async function backfill(outbox: Outbox): Promise<BackfillResult> {
  return withStore(outbox, (store) => backfillKeys(store, createReaders([parcels])));
}

async function withStore<T>(outbox: Outbox, use: (store: Store) => Promise<T>): Promise<T> {
  const database = connectPg({ url: outbox.url, max: 1 });
  try {
    return await use(openStore(database));
  } finally {
    await database.close();
  }
}

/** A step of a parcel, as a process writes it whose library knows of no keys. */
export async function moveWithoutKey(
  outbox: Outbox,
  parcel: string,
  steps: readonly number[],
  { inMs = 0 }: { readonly inMs?: number } = {},
): Promise<void> {
  const due = inMs === 0 ? {} : { due_at: new Date(Date.now() + inMs).toISOString() };
  await enqueue(
    outbox,
    { type: MoveParcel.type, version: 2, kind: MoveParcel.kind, ...due },
    steps.map((step) => ({ parcel, step, depot: 'd' })),
  );
}

/** The weighing of a parcel, likewise. */
export async function weighWithoutKey(outbox: Outbox, parcel: string): Promise<void> {
  await enqueue(outbox, { type: WeighParcel.type, version: 1, kind: WeighParcel.kind }, [{ parcel, grams: 1 }]);
}

async function enqueue(outbox: Outbox, message: object, payloads: readonly object[]): Promise<void> {
  await outbox.query('select from waybill.enqueue($1::text::json, $2::text::json, null)', [
    JSON.stringify(payloads.map(() => message)),
    JSON.stringify(payloads),
  ]);
}

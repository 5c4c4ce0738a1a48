import type { Executor } from '../executor.ts';
import type { Operator } from '../operators/operator.ts';
import { instantOf, textOf } from '../row.ts';
import type { Store } from '../store.ts';
import { millis } from './record-columns.ts';

/** A reader that does not run all the time, or a build that one may have to roll back to. */
export interface DeclaredReader {
  readonly id: string;
  readonly build: string;
  /** Type to versions, as `readers` in a manifest. */
  readonly reads: Readonly<Record<string, readonly number[]>>;
  readonly until: Date;
  readonly actor: string;
  readonly reason: string;
}

export async function insertReader(
  executor: Executor,
  store: Store,
  { build, reads, until, actor, reason }: Pick<DeclaredReader, 'build' | 'reads' | 'until'> & Operator,
): Promise<string> {
  const [row] = await executor.query(
    `insert into ${store.quoted}.reader (build, reads, until, actor, reason)
     values ($1, $2::text::jsonb, to_timestamp($3::bigint / 1000.0), $4, $5) returning id::text as id`,
    [build, JSON.stringify(reads), until.getTime(), actor, reason],
  );
  if (row === undefined) throw new TypeError('an insert answered without a row');
  return textOf(row, 'id');
}

/** Ends a declaration now. Gives the build, or null when none is open under this id. */
export async function endReader(executor: Executor, store: Store, id: string): Promise<string | null> {
  const [row] = await executor.query(
    `update ${store.quoted}.reader set until = clock_timestamp() where id = $1::bigint and until > clock_timestamp() returning build`,
    [id],
  );
  return row === undefined ? null : textOf(row, 'build');
}

/** The declarations that count now, oldest first. */
export async function openReaders(executor: Executor, store: Store): Promise<readonly DeclaredReader[]> {
  const rows = await executor.query(
    `select id::text as id, build, reads::text as reads, ${millis('until')} as until, actor, reason from ${store.quoted}.reader
     where until > clock_timestamp() order by id`,
  );
  return rows.map((row) => ({
    id: textOf(row, 'id'),
    build: textOf(row, 'build'),
    // Written by insertReader alone.
    reads: JSON.parse(textOf(row, 'reads')) as DeclaredReader['reads'],
    until: instantOf(row, 'until'),
    actor: textOf(row, 'actor'),
    reason: textOf(row, 'reason'),
  }));
}

/** Allows a version to be written although somebody cannot read it. */
export async function insertOverride(
  executor: Executor,
  store: Store,
  override: Operator & { readonly type: string; readonly version: number; readonly until: Date },
): Promise<void> {
  await executor.query(
    `insert into ${store.quoted}.write_override (type, version, until, actor, reason)
     values ($1, $2::integer, to_timestamp($3::bigint / 1000.0), $4, $5)`,
    [override.type, override.version, override.until.getTime(), override.actor, override.reason],
  );
}

import { StoreError } from './errors.ts';
import type { Executor } from './executor.ts';
import { integerOf } from './row.ts';

/** PostgreSQL 14, the first with hashes of whole rows and function bodies in standard SQL. As `server_version_num` has it. */
export const MINIMUM_SERVER_VERSION = 140_000;

/** Throws `STO_SERVER_TOO_OLD` where the server is older than this version of the store can work with. */
export async function requireSupportedServer(executor: Executor): Promise<void> {
  const [row] = await executor.query(`select current_setting('server_version_num')::integer as version`);
  if (row === undefined) throw new TypeError('the server did not tell its version');
  requireSupportedVersion(integerOf(row, 'version'));
}

export function requireSupportedVersion(version: number): void {
  if (version >= MINIMUM_SERVER_VERSION) return;
  throw new StoreError(
    'STO_SERVER_TOO_OLD',
    `PostgreSQL ${String(MINIMUM_SERVER_VERSION / 10_000)} or later is needed, the server is ${String(Math.trunc(version / 10_000))}`,
  );
}

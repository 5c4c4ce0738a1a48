import { type LocalPostgres, startPostgres } from '@waybill/local-postgres';

/** The same server for every contender, tuned as a small production machine would be. Durability is left on: fsync and synchronous commit. */
export const SERVER_SETTINGS = {
  shared_buffers: '1GB',
  max_connections: '200',
  // No checkpoint within a measurement: its full-page images would hit one contender and spare the next.
  max_wal_size: '16GB',
  checkpoint_timeout: '1h',
  random_page_cost: '1.1',
  autovacuum_naptime: '5s',
  track_io_timing: 'on',
  shared_preload_libraries: 'pg_stat_statements',
} as const;

export function startServer(): Promise<LocalPostgres> {
  return startPostgres({ settings: SERVER_SETTINGS });
}

import pg from 'pg';

/** Figures of one database and its server, by SQL. */
export interface Probe {
  /** Bytes of WAL that the server has written since it exists. */
  walBytes(): Promise<number>;
  /** Transactions committed in the database of this URL: a program in autocommit makes one of each statement. */
  transactionsOf(url: string): Promise<number>;
  /** Blocks of its tables and indexes that this database has looked at, wherever they were. */
  blocks(): Promise<number>;
  deadlocks(): Promise<number>;
  rollbacks(): Promise<number>;
  /** Statistics and visibility as they settle after a while anyway, the same for all; then a checkpoint, so that its time falls on nobody. */
  settle(): Promise<void>;
  query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}

export async function openProbe(url: string): Promise<Probe> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const query: Probe['query'] = async (text) => (await client.query<Record<string, unknown>>(text)).rows;
  const number = async (text: string): Promise<number> => Number((await query(`select (${text}) as n`))[0]?.['n']);
  const ofDatabase = (column: string, name: string): Promise<number> =>
    number(`select ${column} from pg_stat_database where datname = '${name}'`);
  return {
    query,
    walBytes: () => number(`pg_current_wal_insert_lsn() - '0/0'::pg_lsn`),
    transactionsOf: (other) => ofDatabase('xact_commit', databaseOf(other)),
    blocks: () => ofDatabase('blks_hit + blks_read', databaseOf(url)),
    deadlocks: () => ofDatabase('deadlocks', databaseOf(url)),
    rollbacks: () => ofDatabase('xact_rollback', databaseOf(url)),
    async settle() {
      await query('vacuum analyze');
      await query('checkpoint');
    },
    close: () => client.end(),
  };
}

function databaseOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1));
}

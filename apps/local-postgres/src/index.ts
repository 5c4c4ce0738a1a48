export { type CreateDatabaseOptions, createDatabase, dropDatabase, dropDatabases } from './database.ts';
export { LocalPostgresError, type LocalPostgresErrorCode } from './error.ts';
export { type LocalPostgres, type StartPostgresOptions, startPostgres } from './start-postgres.ts';
export { startStandby } from './start-standby.ts';

export { createDatabase, type CreateDatabaseOptions, dropDatabase, dropDatabases } from './database.ts';
export { LocalPostgresError, type LocalPostgresErrorCode } from './error.ts';
export { type LocalPostgres, startPostgres, type StartPostgresOptions } from './start-postgres.ts';

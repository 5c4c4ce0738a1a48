// A program that starts a server, says where, and then waits to be killed.
import { startPostgres } from './start-postgres.ts';

const server = await startPostgres();
process.stdout.write(`${server.url}\n`);
setInterval(() => undefined, 60_000);

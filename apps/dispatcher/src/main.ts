#!/usr/bin/env node
import { runCli } from './cli/run-cli.ts';

// The reader of a pipe may leave before the end (`waybill schema plan | head`); that is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// Not process.exit: the process ends by itself once nothing is left to do, and standard output is written to its end.
process.exitCode = await runCli({
  args: process.argv.slice(2),
  directory: process.cwd(),
  environment: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  events: process,
});

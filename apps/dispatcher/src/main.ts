#!/usr/bin/env node
import { runCli } from './cli/run-cli.ts';

// The reader of a pipe may leave before the end (`waybill schema plan | head`); that is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// Normally the process ends by itself, since nothing is left to do. What is still open after this belongs to code that
// ignores its signal, for example a handler that hangs.
const LAST_RESORT_MS = 1_000;

process.exitCode = await runCli({
  args: process.argv.slice(2),
  directory: process.cwd(),
  environment: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  events: process,
});
setTimeout(() => {
  process.stderr.write('waybill: something is still open and is left behind\n');
  process.exit();
}, LAST_RESORT_MS).unref();

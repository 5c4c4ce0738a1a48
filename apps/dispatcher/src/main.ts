#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { EXIT } from './cli/exit-code.ts';
import { runCli } from './cli/run-cli.ts';
import { systemClock } from './loop/clock.ts';
import type { QuarantineProcess } from './run/quarantine.ts';

let lostOutput = false;
// The reader of a pipe may leave before the end (`waybill schema plan | head`); that is no error of ours. Anything else, such as a full disk, is told
// once: a command has failed then, and a dispatcher goes on without its log.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || lostOutput) return;
  lostOutput = true;
  process.stderr.write(`waybill: standard output cannot be written: ${error.message}\n`);
});
// There is nobody left to tell.
process.stderr.on('error', () => {});

// The channel tells the child when its parent is gone, however that went.
function startQuarantine(): QuarantineProcess {
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1), '--quarantine'], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return {
    // No signal: where all processes of a group got one, it would be the child's second.
    stop: () => {
      if (child.connected) child.disconnect();
    },
    ended: new Promise((resolve) => {
      child.once('error', (error) => {
        resolve(error.message);
      });
      child.once('exit', (code, signal) => {
        resolve(code ?? signal ?? 'unknown');
      });
    }),
  };
}

// Normally the process ends by itself, since nothing is left to do. What is still open after this belongs to code that
// ignores its signal, for example a handler that hangs.
const LAST_RESORT_MS = 1_000;

process.once('exit', (code) => {
  if (code === EXIT.ok && lostOutput) process.exitCode = EXIT.failed;
});
process.exitCode = await runCli({
  args: process.argv.slice(2),
  directory: process.cwd(),
  environment: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  events: process,
  clock: systemClock,
  startQuarantine,
});
setTimeout(() => {
  process.stderr.write('waybill: something is still open and is left behind\n');
  process.exit();
}, LAST_RESORT_MS).unref();

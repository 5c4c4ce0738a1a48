#!/usr/bin/env node
import { runCommandLine } from './program.ts';
import { EXIT_CODES } from './exit-codes.ts';

try {
  process.exitCode = await runCommandLine(process.argv.slice(2), {
    directory: process.cwd(),
    print: (line) => process.stdout.write(`${line}\n`),
    tell: (line) => process.stderr.write(`${line}\n`),
  });
} catch (error) {
  process.stderr.write(`unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = EXIT_CODES.couldNotRun;
}

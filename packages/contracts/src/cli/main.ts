#!/usr/bin/env node
import { EXIT_CODES } from './exit-codes.ts';
import { runCommandLine } from './program.ts';

const terminal = {
  directory: process.cwd(),
  print: (line: string) => process.stdout.write(`${line}\n`),
  tell: (line: string) => process.stderr.write(`${line}\n`),
};

try {
  process.exitCode = await runCommandLine(process.argv.slice(2), terminal, new Date().toISOString().slice(0, 10));
} catch (error) {
  terminal.tell(`unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  process.exitCode = EXIT_CODES.couldNotRun;
}

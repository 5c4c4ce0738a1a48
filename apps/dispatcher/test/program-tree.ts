import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { createProgram } from '../src/cli/program.ts';

/** Every command that does something, by its words. */
export function commandLeaves(): readonly string[] {
  return leavesOf(programTree());
}

function leavesOf(command: Command, path: readonly string[] = []): readonly string[] {
  if (command.commands.length === 0) return [path.join(' ')];
  return command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));
}

function programTree(): Command {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const context = {
    args: [],
    directory: '.',
    environment: {},
    events: new EventEmitter(),
    clock: { now: () => 0 },
    stdout: nowhere,
    stderr: nowhere,
    startQuarantine: () => {
      throw new Error('nothing is run');
    },
  };
  return createProgram(context, () => {});
}

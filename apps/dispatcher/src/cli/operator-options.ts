import type { Operator } from '@waybill/store';
import type { Command } from 'commander';

export interface OperatorArguments {
  readonly actor?: string;
  readonly reason?: string;
}

/** Adds `--actor` and `--reason`: both go into the audit for good. */
export function addOperatorOptions(command: Command): Command {
  return command
    .option('--actor <name>', 'who does this, for the audit; required, never guessed')
    .option('--reason <text>', 'why, for the audit; required');
}

/** The operator of a command that changes something. Both options missing is told at once, as a wrong command line. */
export function operatorOf(command: Command): Operator {
  const { actor = '', reason = '' } = command.opts<OperatorArguments>();
  const missing = [
    ...(actor.trim() === '' ? ['--actor <name>'] : []),
    ...(reason.trim() === '' ? ['--reason <text>'] : []),
  ];
  if (missing.length > 0) command.error(`error: this changes something: say ${missing.join(' and ')}`);
  return { actor, reason };
}

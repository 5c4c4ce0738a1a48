import { Command, Option } from 'commander';
import { addAlertsCommands } from './alerts-commands.ts';
import { addCompletionCommand } from './completion-command.ts';
import { addConfigCommands } from './config-commands.ts';
import { type CliContext, OUTPUT_FORMATS } from './context.ts';
import { addCoverageCommand } from './coverage-command.ts';
import { addDeadCommands } from './dead-commands.ts';
import { addDeliverySpecCommand } from './delivery-spec-command.ts';
import { addDestinationsCommands } from './destinations-commands.ts';
import { addDispatchersCommand } from './dispatchers-command.ts';
import type { ExitCode } from './exit-code.ts';
import { addGateCommands } from './gate-commands.ts';
import { addHealthCommand } from './health-command.ts';
import { addManifestCommand } from './manifest-command.ts';
import { addMessagesCommands } from './messages-commands.ts';
import { addPlanCommand } from './plan-command.ts';
import { addRolloutCommands } from './rollout-commands.ts';
import { addRunCommand } from './run-command.ts';
import { addSchemaCommands } from './schema-commands.ts';
import { addStatusCommand } from './status-command.ts';

/** Receives the exit code of the command that ran. */
export type Finish = (exitCode: ExitCode) => void;

/** Builds the command line. Nothing runs before it is parsed. */
export function createProgram(context: CliContext, finish: Finish): Command {
  const program = new Command('waybill')
    // Subcommands inherit these two only when they are created after the call.
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
    })
    .description('Dispatches the messages of a transactional outbox in PostgreSQL.')
    .option('--config <file>', 'the configuration file (default: dispatcher.config.{ts,mts,mjs,js} in this directory)')
    .addOption(new Option('--output <format>', 'the form of the result').choices(OUTPUT_FORMATS).default('table'))
    .addOption(new Option('--json', 'short for --output json').implies({ output: 'json' }))
    .addHelpText('after', EXIT_CODE_HELP);
  addRunCommand(program, context, finish);
  addStatusCommand(program, context, finish);
  addMessagesCommands(program, context, finish);
  addDeadCommands(program, context, finish);
  addDestinationsCommands(program, context, finish);
  addDispatchersCommand(program, context, finish);
  addDeliverySpecCommand(program, context, finish);
  addSchemaCommands(program, context, finish);
  addManifestCommand(program, context, finish);
  addConfigCommands(program, context, finish);
  addHealthCommand(program, context, finish);
  addAlertsCommands(program, context, finish);
  addCoverageCommand(program, context, finish);
  addGateCommands(program, context, finish);
  addRolloutCommands(program, context, finish);
  addPlanCommand(program, context, finish);
  addCompletionCommand(program, context, finish);
  return program;
}

const EXIT_CODE_HELP = `
Exit codes: 0 ok, 1 failed, 2 usage or configuration, 3 not found, 4 refused, 5 the schema has drifted,
69 the store is unavailable, 75 try again, 130 interrupted. Gates: 0 safe, 1 unsafe, 3 cannot tell.`;

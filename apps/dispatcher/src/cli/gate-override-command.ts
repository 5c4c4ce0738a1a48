import { liveDispatchers, overridePullGate } from '@waybill/store';
import type { Command } from 'commander';
import { parseInstant } from './arguments.ts';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT } from './exit-code.ts';
import { addOperatorOptions, operatorOf } from './operator-options.ts';
import { print } from './output.ts';
import type { Finish } from './program.ts';
import { withConfiguredStore } from './with-store.ts';

/** Adds `gate override pull-worker` to the gates. */
export function addGateOverrideCommand(gate: Command, context: CliContext, finish: Finish): void {
  const override = gate.command('override').description('Take the responsibility for passing a red gate for a while.');
  addOperatorOptions(
    override
      .command('pull-worker')
      .description('Let pull workers run behind their red gate until a moment, 30 days ahead at most. Audited.')
      .requiredOption('--until <time>', 'when the gate counts again', parseInstant),
  ).action(async ({ until }: { readonly until: Date }, command: Command) => {
    const { output, config } = command.optsWithGlobals<GlobalOptions>();
    const by = operatorOf(command);
    await withConfiguredStore(context, config, async (store) => {
      // The gate goes by the database's clock, and so does its override.
      const { now } = await liveDispatchers(store);
      await overridePullGate(store, { until, now }, by);
    });
    const moment = until.toISOString();
    print(context, output, {
      document: { gate: 'pull-worker', until: moment, ...by },
      text: () => `pull workers may pass their gate until ${moment}`,
    });
    finish(EXIT.ok);
  });
}

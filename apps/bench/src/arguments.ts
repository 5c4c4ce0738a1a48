import { Argument, Command, Option } from 'commander';
import { SCENARIO_NAMES, type ScenarioName, type Size } from './scenario/scenario.ts';

export interface Arguments {
  readonly size: Size;
  readonly scenarios: readonly ScenarioName[];
  /** Where the JSON goes besides. */
  readonly json: string | null;
  /** A folder for JSON, Markdown and picture. */
  readonly results: string | null;
}

/** Reads `pnpm bench [--quick] [scenario ...] [--json FILE] [--results FOLDER]`. Throws commander's error for anything else. */
export function readArguments(argv: readonly string[]): Arguments {
  const command = new Command('bench')
    .description('Measures Waybill beside its peers on one PostgreSQL, in one run.')
    .addArgument(new Argument('[scenarios...]', 'all of them unless some are named').choices([...SCENARIO_NAMES]))
    .addOption(
      new Option(
        '--quick',
        'small sizes: checks that everything drains, in order and without loss; its times mean little',
      ),
    )
    .addOption(new Option('--short', 'a fifth of the messages and fewer rounds'))
    .addOption(new Option('--json <file>', 'write the results as JSON'))
    .addOption(new Option('--results <folder>', 'write results.json, results.md, results.svg and summary.md'))
    .exitOverride();
  command.parse([...argv], { from: 'user' });
  const options = command.opts<{ quick?: boolean; short?: boolean; json?: string; results?: string }>();
  // The choices above let nothing else through.
  const named = (command.processedArgs[0] ?? []) as ScenarioName[];
  return {
    size: options.quick === true ? 'quick' : options.short === true ? 'short' : 'full',
    scenarios: named.length === 0 ? SCENARIO_NAMES : SCENARIO_NAMES.filter((name) => named.includes(name)),
    json: options.json ?? null,
    results: options.results ?? null,
  };
}

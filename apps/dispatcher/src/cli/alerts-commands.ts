import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigError } from '../config/problem.ts';
import { alertRules } from '../limits/alert-rules.ts';
import { loadLimits } from '../limits/load-limits.ts';
import { rulesText } from '../limits/rule.ts';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT } from './exit-code.ts';
import { print } from './output.ts';
import type { Finish } from './program.ts';

interface AlertsOptions extends GlobalOptions {
  readonly limits: string;
  readonly out?: string;
}

export function addAlertsCommands(program: Command, context: CliContext, finish: Finish): void {
  const alerts = program.command('alerts').description('Rules for Prometheus, made from limits.');

  alerts
    .command('generate')
    .description('Print the rules that follow from the limits. Connects to nothing.')
    .option('--limits <folder>', 'where the limits are, as *.json', 'limits')
    .option('--out <file>', 'write them to a file instead')
    .action(async (_options: unknown, command: Command) => {
      const { output, limits, out } = command.optsWithGlobals<AlertsOptions>();
      const { ids, rules } = await generate(context, limits);
      if (out === undefined)
        print(context, output, { document: { limits: ids, rules }, text: () => rules, isFile: true });
      else {
        await writeFile(resolve(context.directory, out), rules);
        print(context, output, { document: { limits: ids, out }, text: () => `written ${out}` });
      }
      finish(EXIT.ok);
    });

  alerts
    .command('check <file>')
    .description('Compare a file of rules with what the limits give now. Exit code 5 when they differ.')
    .option('--limits <folder>', 'where the limits are, as *.json', 'limits')
    .action(async (file: string, _options: unknown, command: Command) => {
      const { output, limits } = command.optsWithGlobals<AlertsOptions>();
      const { ids, rules } = await generate(context, limits);
      const same = (await readRules(resolve(context.directory, file))) === rules;
      const advice = `differs: waybill alerts generate --limits ${limits} --out ${file}`;
      print(context, output, {
        document: { limits: ids, file, same },
        text: () => (same ? 'the rules are what the limits give' : advice),
      });
      finish(same ? EXIT.ok : EXIT.drift);
    });
}

async function generate(
  context: CliContext,
  folder: string,
): Promise<{ readonly ids: readonly string[]; readonly rules: string }> {
  const limits = await loadLimits(resolve(context.directory, folder));
  return { ids: limits.map(({ id }) => id), rules: rulesText(alertRules(limits)) };
}

async function readRules(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new ConfigError('DSP_CONFIG_FILE', [`expected a file of rules, got none at ${path}`], { cause });
  }
}

import { planRollout, type RolloutPlan } from '@waybill/store';
import type { Command } from 'commander';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT } from './exit-code.ts';
import { readManifest } from './manifest-file.ts';
import { print, table } from './output.ts';
import type { Finish } from './program.ts';
import { contractOf } from './record-output.ts';

/** Adds `rollout plan`. */
export function addPlanCommand(program: Command, context: CliContext, finish: Finish): void {
  program
    .command('rollout')
    .description('Plan the way from one build to another.')
    .command('plan')
    .description(
      'Print the steps in order, each with the command that checks it and the way back. Connects to nothing.',
    )
    .requiredOption('--from <file>', 'the manifest of the build that runs')
    .requiredOption('--to <file>', 'the manifest of the build to roll out')
    .action(({ from, to }: { readonly from: string; readonly to: string }, command: Command) => {
      const old = { ...readManifest(context.directory, from), file: from };
      const next = { ...readManifest(context.directory, to), file: to };
      const plan = planRollout(old, next);
      const { output } = command.optsWithGlobals<GlobalOptions>();
      print(context, output, {
        document: { from: old.build, to: next.build, ...plan },
        text: () => planText(plan),
      });
      finish(plan.status === 'planned' ? EXIT.ok : EXIT.refused);
    });
}

function planText(plan: RolloutPlan): string {
  if (plan.status === 'needs-bridge')
    return [
      'no safe order: the old services write what the new build does not read. Roll out a build that reads both first.',
      ...plan.versions.map(contractOf),
    ].join('\n  ');
  return plan.steps
    .map(({ step, versions, action, checks, rollback }, index) =>
      [
        `${String(index + 1)}. ${step} ${versions.map(contractOf).join(', ')}`.trimEnd(),
        table([['do', action], ...checks.map((check) => ['check', check]), ['back', rollback]]).replace(/^/gm, '   '),
      ].join('\n'),
    )
    .join('\n');
}

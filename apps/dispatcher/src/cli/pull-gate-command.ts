import { pullGateFacts } from '@waybill/store';
import type { Command } from 'commander';
import { loadDispatcher } from '../config/load.ts';
import { consumersOf } from '../gate/consumers.ts';
import { evaluateGate, type PullGate } from '../gate/evaluate.ts';
import { readEvidence } from '../gate/evidence.ts';
import { PARTS } from '../gate/items.ts';
import { checkDispatcher } from './check-dispatcher.ts';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT_OF_VERDICT } from './gate-output.ts';
import { print, table } from './output.ts';
import type { Finish } from './program.ts';
import { requireTables } from './require-tables.ts';
import { withStore } from './with-store.ts';

/** Adds `gate pull-worker` to the gates. */
export function addPullGateCommand(gate: Command, context: CliContext, finish: Finish): void {
  gate
    .command('pull-worker')
    .description('May the pull workers run? Item by item, against the live database and this build.')
    .action(async (_options: unknown, command: Command) => {
      const { output, config: file } = command.optsWithGlobals<GlobalOptions>();
      const loaded = await loadDispatcher({ ...context, file }, ['database.url']);
      checkDispatcher(loaded);
      const { settings, routes } = loaded;
      const store = await withStore(
        { settings, statementTimeoutMs: settings.database.statementTimeoutMs },
        async (opened) => {
          await requireTables(opened, 'any-generation');
          return pullGateFacts(opened);
        },
      );
      const result = evaluateGate({ evidence: await readEvidence(), consumers: consumersOf(routes), store });
      print(context, output, { document: documentOf(result, store.checkedAt), text: () => textOf(result) });
      finish(EXIT_OF_VERDICT[result.verdict]);
    });
}

function documentOf(
  { verdict, items, scopedOut, override }: PullGate,
  checkedAt: Date,
): Readonly<Record<string, unknown>> {
  return { gate: 'pull-worker', verdict, blockers: [], items, scopedOut, override, checkedAt: checkedAt.toISOString() };
}

function textOf({ verdict, items, scopedOut, override }: PullGate): string {
  const rows = items.map(({ id, state, title, why }) => [
    id,
    partOf(id),
    state,
    why === null ? title : `${title}: ${why}`,
  ]);
  return [
    table(rows),
    ...scopedOut.map(
      ({ type, scopedOut: out }) =>
        `scoped out: ${type} until ${String(out?.until)}, by ${String(out?.by)}: ${String(out?.reason)}`,
    ),
    ...(override === null ? [] : [`overridden by ${override.actor} until ${override.until}: ${override.reason}`]),
    `verdict: ${verdict}`,
  ].join('\n');
}

function partOf(id: string): string {
  // An item's id begins with G and the number of its part.
  return PARTS[Number(id.slice(1, 2)) as keyof typeof PARTS];
}

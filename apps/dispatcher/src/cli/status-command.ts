import {
  checkSchema,
  type KeptPause,
  listPauses,
  type RecentAttempts,
  readSignals,
  recentAttempts,
  type SchemaStatus,
  type Store,
  type StoreSignals,
} from '@waybill/store';
import type { Command } from 'commander';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT } from './exit-code.ts';
import { conclude } from './output.ts';
import type { Finish } from './program.ts';
import { statusOutput } from './status-output.ts';
import { withConfiguredStore } from './with-store.ts';

// Long enough that a quiet outbox still has attempts to show, short enough to tell about now.
const WINDOW_MS = 3_600_000;

/** What `waybill status` knows. */
export interface StoreStatus {
  readonly schema: SchemaStatus;
  /** Null: the tables are not ready, and nothing can be read from them. */
  readonly found: {
    readonly signals: StoreSignals;
    readonly lastHour: RecentAttempts;
    readonly pauses: readonly KeptPause[];
  } | null;
}

export function addStatusCommand(program: Command, context: CliContext, finish: Finish): void {
  program
    .command('status')
    .description('Show how the outbox is: what waits, what failed, who dispatches, what is paused.')
    .action(async (_options: unknown, command: Command) => {
      const { output, config } = command.optsWithGlobals<GlobalOptions>();
      const status = await withConfiguredStore(context, config, readStatus);
      finish(conclude(context, output, status.found === null ? EXIT.drift : EXIT.ok, statusOutput(status)));
    });
}

async function readStatus(store: Store): Promise<StoreStatus> {
  const schema = await checkSchema(store);
  if (schema.status !== 'ready') return { schema, found: null };
  const signals = await readSignals(store);
  const lastHour = await recentAttempts(store, WINDOW_MS);
  return { schema, found: { signals, lastHour, pauses: await listPauses(store) } };
}

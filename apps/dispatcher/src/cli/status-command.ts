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
import { conclude, print } from './output.ts';
import type { Finish } from './program.ts';
import { isOlderGeneration } from './require-tables.ts';
import { statusOutput } from './status-output.ts';
import { withUncheckedStore } from './with-store.ts';

// Long enough that a quiet outbox still has attempts to show, short enough to tell about now.
const WINDOW_MS = 3_600_000;

/** What `waybill status` knows. */
export interface StoreStatus {
  readonly schema: SchemaStatus;
  /** Null: the tables are not ready, and nothing can be read from them. Those of an older generation can. */
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
      const status = await withUncheckedStore(context, config, readStatus);
      const exitCode = status.schema.status === 'ready' ? EXIT.ok : EXIT.drift;
      // What could be read is data, also where a step is missing.
      if (status.found === null) conclude(context, output, exitCode, statusOutput(status));
      else print(context, output, statusOutput(status));
      finish(exitCode);
    });
}

async function readStatus(store: Store): Promise<StoreStatus> {
  const schema = await checkSchema(store);
  const isOlder = await isOlderGeneration(store, schema);
  if (schema.status !== 'ready' && !isOlder) return { schema, found: null };
  const signals = await readSignals(store);
  const lastHour = await recentAttempts(store, WINDOW_MS);
  // Pauses came with the record keys.
  return { schema, found: { signals, lastHour, pauses: isOlder ? [] : await listPauses(store) } };
}

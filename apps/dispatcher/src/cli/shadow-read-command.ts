import { createReaders } from '@waybill/contracts';
import {
  type GateReport,
  gateShadowRead,
  gateShadowReadVersions,
  type ShadowReading,
  type Store,
} from '@waybill/store';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { loadDispatcher } from '../config/load.ts';
import { parseTally } from './arguments.ts';
import type { CliContext, GlobalOptions } from './context.ts';
import type { Judge } from './gate-commands.ts';
import { readManifest } from './manifest-file.ts';

// A backlog of this size is read in seconds, and what is wrong with a version shows at its ends: the oldest format, and the newest.
const DEFAULT_LIMIT = 10_000;

interface ShadowReadOptions {
  readonly manifest?: string;
  readonly limit: number;
  readonly all?: true;
}

/** Adds `gate shadow-read` to the gates. */
export function addShadowReadCommand(gate: Command, context: CliContext, judge: Judge): void {
  gate
    .command('shadow-read')
    .description('Can this build read what waits, and the dead letters? Reads it and changes nothing.')
    .option('--manifest <file>', 'judge a build by the versions in its manifest, without reading payloads')
    .addOption(
      new Option('--limit <n>', 'how many live records and how many dead letters, half of each from the newest')
        .argParser(parseLimit)
        .default(DEFAULT_LIMIT),
    )
    .addOption(new Option('--all', 'read all of them').conflicts('limit'))
    .action(async ({ manifest, limit, all }: ShadowReadOptions, command: Command) => {
      const { config: file } = command.optsWithGlobals<GlobalOptions>();
      await judge(
        command,
        manifest === undefined
          ? await byReading({ ...context, file }, all === true ? 'all' : limit)
          : byVersion(context, manifest),
      );
    });
}

type Ask = (store: Store) => Promise<GateReport>;

async function byReading(place: Parameters<typeof loadDispatcher>[0], limit: ShadowReading['limit']): Promise<Ask> {
  const { settings, contracts } = await loadDispatcher(place, ['build', 'database.url']);
  const readers = createReaders(contracts);
  return (store) => gateShadowRead(store, { build: settings.build, readers, limit });
}

function byVersion({ directory }: CliContext, file: string): Ask {
  const manifest = readManifest(directory, file);
  return (store) => gateShadowReadVersions(store, manifest);
}

function parseLimit(text: string): number {
  const limit = parseTally(text);
  if (limit === 0) throw new InvalidArgumentError('expected a whole number from 1');
  return limit;
}

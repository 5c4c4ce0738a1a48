import {
  type DispatcherSubject,
  type DrainRequest,
  drainDispatchers,
  liveDispatchers,
  type Store,
} from '@waybill/store';
import type { Command } from 'commander';
import { parseCount } from './arguments.ts';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { addOperatorOptions, operatorOf } from './operator-options.ts';
import { conclude, print, table } from './output.ts';
import type { Finish } from './program.ts';
import { withConfiguredStore } from './with-store.ts';

interface DrainOptions extends GlobalOptions {
  readonly dryRun?: boolean;
  readonly expectCount?: number;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Adds `drain` to the commands about dispatchers. */
export function addDrainCommand(dispatchers: Command, context: CliContext, finish: Finish): void {
  const drain = dispatchers
    .command('drain <build-or-id>')
    .description(
      'Ask a dispatcher, or all of a build, to claim nothing more, finish, sign off and end with exit code 0. They do at their next heartbeat.',
    )
    .option('--dry-run', 'show which ones that would be, and ask for nothing')
    .option('--expect-count <n>', 'how many --dry-run has shown; one id needs none', parseCount);
  addOperatorOptions(drain).action(async (name: string, _options: unknown, command: Command) => {
    const { output, config, dryRun, expectCount } = command.optsWithGlobals<DrainOptions>();
    const subject: DispatcherSubject = UUID.test(name) ? { id: name.toLowerCase() } : { build: name };
    if (dryRun === true) {
      const found = await withConfiguredStore(context, config, (store) => preview(store, subject));
      print(context, output, { document: { status: 'dry-run', ...found }, text: () => textOf(found.dispatchers) });
      finish(EXIT.ok);
      return;
    }
    const by = operatorOf(command);
    const expectedCount = subject.id === undefined ? expectCount : 1;
    if (expectedCount === undefined)
      command.error('error: a build may have many: say --expect-count <n>, which --dry-run shows');
    const result = await withConfiguredStore(context, config, (store) =>
      drainDispatchers(store, { ...subject, expectedCount }, by),
    );
    finish(
      conclude(context, output, EXIT_CODES[result.status], {
        document: { ...result },
        text: () => told(result, name, expectedCount),
      }),
    );
  });
}

const EXIT_CODES: Readonly<Record<DrainRequest['status'], ExitCode>> = {
  asked: EXIT.ok,
  'count-moved': EXIT.refused,
  'not-found': EXIT.notFound,
};

async function preview(
  store: Store,
  subject: DispatcherSubject,
): Promise<Pick<Extract<DrainRequest, { status: 'asked' }>, 'dispatchers'>> {
  const { dispatchers } = await liveDispatchers(store);
  const meant = dispatchers.filter(({ id, build }) => id === subject.id || build === subject.build);
  return { dispatchers: meant.map(({ id, build }) => ({ id, build })) };
}

function told(result: DrainRequest, name: string, expectedCount: number): string {
  switch (result.status) {
    case 'asked':
      return `asked to drain:\n${textOf(result.dispatchers)}`;
    case 'count-moved':
      return `expected ${String(expectedCount)} dispatchers, found ${String(result.dispatchers.length)}; nothing was asked`;
    case 'not-found':
      return `no dispatcher that claims is, or is of the build, ${name}`;
  }
}

function textOf(dispatchers: readonly { readonly id: string; readonly build: string }[]): string {
  return table([['ID', 'BUILD'], ...dispatchers.map(({ id, build }) => [id, build])]);
}

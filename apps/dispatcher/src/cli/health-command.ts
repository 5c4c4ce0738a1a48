import { type Command, InvalidArgumentError } from 'commander';
import { loadSettings } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import type { CliContext, GlobalOptions } from './context.ts';
import { EXIT } from './exit-code.ts';
import { print } from './output.ts';
import type { Finish } from './program.ts';

// A dispatcher that takes longer than this to say that it is well is not.
const TIMEOUT_MS = 5_000;

interface HealthOptions extends GlobalOptions {
  readonly url?: URL;
}

export function addHealthCommand(program: Command, context: CliContext, finish: Finish): void {
  program
    .command('health')
    .description('Ask a running dispatcher whether it is ready: for images without curl.')
    .option('--url <url>', 'the probe to ask (default: /readyz at health.host and health.port)', parseUrl)
    .action(async (_options: unknown, command: Command) => {
      const { output, url, config: file } = command.optsWithGlobals<HealthOptions>();
      const target = url ?? readyUrl((await loadSettings({ ...context, file }, [])).settings.health);
      const { status, body } = await ask(target);
      print(context, output, { document: { url: target.href, status, body }, text: () => body });
      finish(status === 200 ? EXIT.ok : EXIT.failed);
    });
}

/** Nobody answered at the address, or not in time. */
export class HealthUnreachableError extends Error {
  override readonly name = 'HealthUnreachableError';
  readonly code = 'DSP_HEALTH_UNREACHABLE';
}

async function ask(target: URL): Promise<{ readonly status: number; readonly body: string }> {
  try {
    const response = await fetch(target, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' });
    return { status: response.status, body: (await response.text()).trim() };
  } catch (error) {
    throw new HealthUnreachableError(`no answer from ${target.origin}`, { cause: error });
  }
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new InvalidArgumentError('expected an http:// URL.');
  return url;
}

/** Where the dispatcher of this configuration answers on this machine. */
export function readyUrl({ host, port }: Settings['health']): URL {
  // What listens on every address is asked on this machine's own.
  const local = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return new URL(`http://${local.includes(':') ? `[${local}]` : local}:${port}/readyz`);
}

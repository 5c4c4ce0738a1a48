import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runCli } from '../src/cli/run-cli.ts';
import { checkDocument } from './documents/check-document.ts';

const CONFIGS = fileURLToPath(new URL('./configs/', import.meta.url));

export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output, parsed, for a run with `--json`. Throws where it is not what the schema of the command says. */
  readonly document: () => Readonly<Record<string, unknown>>;
}

export interface CliSurroundings {
  /** Where the command is given; the folder of the test configurations by default. */
  readonly directory?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The signals of the process. */
  readonly events?: EventEmitter;
  /** Told of each piece that is written to standard error. */
  readonly onStderr?: (text: string) => void;
  readonly now?: () => number;
}

/** Runs a command line in this process: the same code as the program's, without the second that a start takes. */
export async function cli(args: readonly string[], surroundings: CliSurroundings = {}): Promise<CliRun> {
  const { directory = CONFIGS, environment = {}, events = new EventEmitter(), onStderr, now = () => 0 } = surroundings;
  const stdout: string[] = [];
  const stderr: string[] = [];
  const code = await runCli({
    args,
    directory,
    environment,
    stdout: collector((text) => stdout.push(text)),
    stderr: collector((text) => {
      stderr.push(text);
      onStderr?.(text);
    }),
    events,
    clock: { now },
    startQuarantine: () => {
      throw new Error('no command of an operator starts a process');
    },
  });
  const data = stdout.join('');
  return {
    code,
    stdout: data,
    stderr: stderr.join(''),
    document: () => {
      const document = JSON.parse(data) as Readonly<Record<string, unknown>>;
      checkDocument(args, document);
      return document;
    },
  };
}

function collector(take: (text: string) => unknown): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      take(String(chunk));
      done();
    },
  });
}

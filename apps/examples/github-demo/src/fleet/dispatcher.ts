import { open, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { StoryError } from '../story/story-error.ts';
import { type Build, configurationOf } from './builds.ts';
import { superviseProcess } from './supervised-process.ts';

/** A running process of `waybill run`. */
export interface Dispatcher {
  /** As in `older #1`. */
  readonly name: string;
  readonly build: Build;
  /** Its id in the registry, under which it holds leases; undefined until it has one. */
  id(): Promise<string | undefined>;
  /** Freezes it (SIGSTOP): it holds what it holds, and does nothing until it is thawed or killed. */
  freeze(): void;
  /** Lets a frozen one go on (SIGCONT). */
  thaw(): void;
  /** Pulls the plug (SIGKILL): no farewell, and whatever it holds stays leased until the leases expire. */
  crash(): Promise<void>;
  /** Asks it to finish what it has and to leave (SIGTERM), as a deployment does. */
  drain(): void;
  readonly state: () => DispatcherState;
}

export type DispatcherState = 'running' | 'draining' | 'ended';

export interface DispatcherOptions {
  readonly name: string;
  readonly build: Build;
  readonly logFile: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Told when the process ends without being asked to, or does not end well. */
  readonly onFailure: (error: StoryError) => void;
}

/** Starts a dispatcher process. */
export async function launchDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  const log = await open(options.logFile, 'a');
  const command = [process.execPath, waybillProgram(), 'run', '--config', configurationOf(options.build)];
  const child = superviseProcess(command, options.environment, log.fd);
  await log.close();
  let state: DispatcherState = 'running';
  let expected: number | NodeJS.Signals | undefined;
  const gone = child.ended.then((end) => {
    state = 'ended';
    if (end !== expected) options.onFailure(unexpectedEnd(options, end));
  });
  const endBy = (signal: NodeJS.Signals, end: number | NodeJS.Signals): void => {
    if (state === 'ended') return;
    expected = end;
    child.kill(signal);
  };
  return {
    name: options.name,
    build: options.build,
    id: () => idInLog(options.logFile),
    freeze: () => {
      child.kill('SIGSTOP');
    },
    thaw: () => {
      child.kill('SIGCONT');
    },
    crash: async () => {
      endBy('SIGKILL', 'SIGKILL');
      await gone;
    },
    drain: () => {
      endBy('SIGTERM', 0);
      if (state === 'running') state = 'draining';
    },
    state: () => state,
  };
}

/** The built program `waybill`. Its package exports the library, which is `src/index.ts` in tests and `dist/index.js` elsewhere. */
function waybillProgram(): string {
  const library = createRequire(import.meta.url).resolve('@waybill/dispatcher');
  return join(dirname(library), '..', 'dist', 'main.js');
}

function unexpectedEnd({ name, logFile }: DispatcherOptions, end: number | NodeJS.Signals): StoryError {
  return new StoryError('DEMO_DISPATCHER_FAILED', `the dispatcher ${name} ended with ${end} (its log: ${logFile})`);
}

/** The dispatcher logs its id when it enters the registry; after a lost connection it enters again under a new one. */
async function idInLog(logFile: string): Promise<string | undefined> {
  const log = await readFile(logFile, 'utf8');
  return [...log.matchAll(/"owner":"([0-9a-f-]{36})".*"entered in the store"/g)].at(-1)?.[1];
}

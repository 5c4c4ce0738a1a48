import { join } from 'node:path';
import type { Observer } from '../observation/waybill-tables.ts';
import type { StoryError } from '../story/story-error.ts';
import { until } from '../story/until.ts';
import type { Build } from './builds.ts';
import { type Dispatcher, launchDispatcher } from './dispatcher.ts';

/** The dispatcher processes of the story. */
export interface Fleet {
  /** Starts a process and returns once it is in the registry, which is when records have a reader. */
  launch(build: Build): Promise<Dispatcher>;
  /** Asks dispatchers to leave, and waits until they have left. */
  retire(dispatchers: readonly Dispatcher[]): Promise<void>;
  /** The dispatchers that still run, those of one build where one is named. */
  running(build?: Build): readonly Dispatcher[];
  /** Ends whatever still runs, without ceremony. */
  stop(): Promise<void>;
}

export interface FleetOptions {
  readonly databaseUrl: string;
  readonly receiver: { readonly url: string; readonly secret: string };
  readonly logDirectory: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly observer: Observer;
  readonly onFailure: (error: StoryError) => void;
  readonly signal: AbortSignal;
}

/** A fleet without a process yet. */
export function createFleet(options: FleetOptions): Fleet {
  const launched: Dispatcher[] = [];
  const launching = new Set<Promise<Dispatcher>>();
  const numbers: Record<Build, number> = { older: 0, newer: 0 };
  const stopping = new AbortController();
  const signal = AbortSignal.any([options.signal, stopping.signal]);
  const environment = {
    ...options.environment,
    WAYBILL_DATABASE_URL: options.databaseUrl,
    GITHUB_DEMO_RECEIVER_URL: options.receiver.url,
    GITHUB_DEMO_RECEIVER_SECRET: options.receiver.secret,
  };

  const start = async (build: Build): Promise<Dispatcher> => {
    signal.throwIfAborted();
    numbers[build] += 1;
    const number = numbers[build];
    const dispatcher = await launchDispatcher({
      name: `${build} #${number}`,
      build,
      logFile: join(options.logDirectory, `${build}-${number}.log`),
      environment,
      onFailure: options.onFailure,
    });
    launched.push(dispatcher);
    await until(`${dispatcher.name} is in the registry`, () => isRegistered(dispatcher, options.observer), signal);
    return dispatcher;
  };
  const running = (build?: Build): readonly Dispatcher[] =>
    launched.filter(
      (dispatcher) => dispatcher.state() !== 'ended' && (build === undefined || dispatcher.build === build),
    );

  return {
    launch: (build) => {
      const launch = start(build).finally(() => launching.delete(launch));
      launching.add(launch);
      return launch;
    },
    retire: async (dispatchers) => {
      for (const dispatcher of dispatchers) dispatcher.drain();
      for (const { name, state } of dispatchers) {
        await until(`${name} has left`, () => Promise.resolve(state() === 'ended'), signal);
      }
    },
    running,
    stop: async () => {
      stopping.abort(new Error('the fleet is stopped'));
      // A process that is just being started would be missed by a look at those that run.
      await Promise.allSettled(launching);
      await Promise.all(running().map((dispatcher) => dispatcher.crash()));
    },
  };
}

async function isRegistered(dispatcher: Dispatcher, observer: Observer): Promise<boolean> {
  const id = await dispatcher.id();
  return id !== undefined && (await observer.isReader(id));
}

import type { Writable } from 'node:stream';
import type { Environment } from '../config/environment.ts';
import type { Clock } from '../loop/clock.ts';
import type { StartQuarantine } from '../run/quarantine.ts';
import type { ProcessEvents } from '../run/stop.ts';

/** All that the command line touches of its process, so that a test or another program can stand in for it. */
export interface CliContext {
  /** The arguments behind the program's name. */
  readonly args: readonly string[];
  readonly directory: string;
  readonly environment: Environment;
  /** Data, and nothing else. */
  readonly stdout: Writable;
  /** Messages for a person. */
  readonly stderr: Writable;
  /** Signals and faults of the process. */
  readonly events: ProcessEvents;
  /** Never runs backwards. */
  readonly clock: Pick<Clock, 'now'>;
  /** Starts this very command line once more, for suspects alone. */
  readonly startQuarantine: StartQuarantine;
}

/** What every command may be given. */
export interface GlobalOptions {
  readonly config?: string;
  readonly output: OutputFormat;
}

export const OUTPUT_FORMATS = ['table', 'json'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

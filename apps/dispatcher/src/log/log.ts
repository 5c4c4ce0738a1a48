import { hostname } from 'node:os';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../config/settings.ts';
import { errorFields } from './error-fields.ts';
import { REDACTED, REDACTED_PATHS } from './redaction.ts';

export interface LogOptions {
  readonly level: LogLevel;
  readonly build: string;
  readonly destination: DestinationStream;
}

/** Creates the log: JSON lines with the build and the process on each, times in ISO 8601, levels by name. */
export function createLog({ level, build, destination }: LogOptions): Logger {
  return pino(
    {
      level,
      base: { build, host: hostname(), pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorFields },
      redact: { paths: [...REDACTED_PATHS], censor: REDACTED },
    },
    destination,
  );
}

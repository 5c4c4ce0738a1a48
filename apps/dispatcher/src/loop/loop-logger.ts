import type { Logger } from 'pino';

type Level = 'debug' | 'info' | 'warn' | 'error';

/** The part of pino that the loop uses. */
export type LoopLogger = {
  readonly [L in Level]: (fields: Readonly<Record<string, unknown>>, message: string) => void;
};

/** A log must never end the loop: a full disk, a closed pipe or a serializer of the host that throws costs a line, not a message. */
export function loopLogger(logger: Logger): LoopLogger {
  const at =
    (level: Level): LoopLogger[Level] =>
    (fields, message) => {
      try {
        logger[level](fields, message);
      } catch {
        // There is nowhere left to report it to.
      }
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

import { errorCode } from '../error-code.ts';
import { trackInFlight } from '../in-flight.ts';
import { checkOptions } from '../option-check.ts';
import { publishAtOnce } from '../publish-at-once.ts';
import { type MonotonicClock, openWindow } from '../publish-window.ts';
import type { ProbeResult, Transport } from '../transport.ts';
import { probeLinesFile } from './lines-file.ts';
import { serialAppender } from './serial-appender.ts';

/** Where the messages are written. */
export interface FileOptions {
  /** The file; it is made when it is not there, its directory is not. One process may write to it at a time. */
  readonly path: string;
  /** The destination's name in logs and metrics. Default `file`. */
  readonly name?: string;
  /** Clock of the deadline. Default `performance.now`. */
  readonly now?: MonotonicClock;
}

const MAX_BYTES = 2 ** 20;

/**
 * Appends each message as a line of JSON and calls it accepted once the line is on the disk.
 *
 * @throws TransportError `TRN_OPTIONS_INVALID` naming every problem of the options.
 */
export function file(options: FileOptions): Transport {
  const { path, now = () => performance.now() } = options;
  const check = checkOptions('file', options, ['path', 'name', 'now'] satisfies readonly (keyof FileOptions)[]);
  check.expect(typeof path === 'string' && path !== '', 'path', 'a text that is not empty', path);
  const name = check.name(options.name, 'file');
  check.done();

  const inFlight = trackInFlight(name);
  const appender = serialAppender(path);

  return {
    name,
    capabilities: {
      dedup: 'none',
      dedupWindowMs: null,
      ordering: 'record-key',
      maxBatch: 1000,
      partialResults: false,
      maxBytes: MAX_BYTES,
    },
    publish: (batch, context) =>
      inFlight.run(() =>
        appender.inTurn(async () => {
          const window = openWindow(context, now);
          try {
            return await publishAtOnce(batch, { window, maxBytes: MAX_BYTES }, appender.append);
          } finally {
            window.dispose();
          }
        }),
      ),
    probe: async (): Promise<ProbeResult> => {
      const problem = await probeLinesFile(path);
      return problem === null
        ? { status: 'reachable', warnings: [] }
        : { status: 'unreachable', class: 'file-unavailable', detail: errorCode(problem) };
    },
    close: () => inFlight.close(appender.close),
  };
}

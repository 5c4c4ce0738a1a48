import type { TransportOutcome } from '@waybill/contracts';
import { errorCode } from '../error-code.ts';
import type { OutgoingMessage } from '../transport.ts';
import { messageLine } from './line.ts';
import { type LinesFile, openLinesFile } from './lines-file.ts';

/** Writes to one file, one batch after the other. */
export interface SerialAppender {
  /** Runs `work` after everything that was handed in before. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  readonly append: (messages: readonly OutgoingMessage[]) => Promise<readonly TransportOutcome[]>;
  readonly close: () => Promise<void>;
}

const ACCEPTED: TransportOutcome = { outcome: 'accepted', receipt: null, duplicate: false };

/** Opens the file when it is first needed, and anew after a failed write. */
export function serialAppender(path: string): SerialAppender {
  let lines: LinesFile | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const close = async (): Promise<void> => {
    const closing = lines;
    lines = null;
    await closing?.close();
  };

  return {
    close,
    inTurn(work) {
      const turn = last.then(work);
      last = turn.catch(() => undefined); // the caller gets the error; the queue goes on
      return turn;
    },
    async append(messages) {
      try {
        lines ??= await openLinesFile(path);
      } catch (error) {
        return messages.map(() => ({ outcome: 'retry', class: 'file-unavailable', detail: errorCode(error) }));
      }
      try {
        await lines.append(messages.map(messageLine).join(''));
        return messages.map(() => ACCEPTED);
      } catch (error) {
        // Some lines may be there. Opening the file again ends the one that was cut.
        await close().catch(() => undefined);
        return messages.map(() => ({ outcome: 'unknown', class: 'write-failed', detail: errorCode(error) }));
      }
    },
  };
}

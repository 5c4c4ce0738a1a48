import type { TransportOutcome } from '@waybill/contracts';
import { ClientClosedError, ClientOfflineError, ConnectionTimeoutError, ErrorReply } from 'redis';
import { errorCode } from '../error-code.ts';
import { isTlsFailure } from '../tls-failure.ts';

// Replies that will be the same for every retry; all others are states of the server that pass, and it took nothing.
const REFUSALS: Readonly<Record<string, string>> = {
  WRONGTYPE: 'wrong-type',
  NOPERM: 'permission-denied',
};

const UNAUTHORIZED: ReadonlySet<string> = new Set(['WRONGPASS', 'NOAUTH']);

/** The class of a failed connect. */
export function classifyConnectFailure(error: unknown): string {
  if (error instanceof ErrorReply) return UNAUTHORIZED.has(replyCode(error)) ? 'unauthorized' : 'connection-refused';
  if (error instanceof ConnectionTimeoutError) return 'connect-timeout';
  return isTlsFailure(error) ? 'tls' : 'connection-failed';
}

/** What a command without a good reply means for the message. */
export function classifyAddFailure(error: unknown): TransportOutcome {
  if (error instanceof ErrorReply) return refusedByServer(replyCode(error));
  // The client knows that it wrote nothing.
  if (error instanceof ClientClosedError || error instanceof ClientOfflineError)
    return { outcome: 'retry', class: 'connection-lost' };
  return { outcome: 'unknown', class: 'connection-lost', detail: errorCode(error) };
}

function refusedByServer(code: string): TransportOutcome {
  const refusal = REFUSALS[code];
  return refusal
    ? { outcome: 'refused', class: refusal, detail: code }
    : { outcome: 'retry', class: 'server-refused', detail: code };
}

/** The word that an error reply begins with. The rest may quote what was sent. */
function replyCode({ message }: ErrorReply): string {
  return /^[A-Z]+/.exec(message)?.[0] ?? 'ERR';
}

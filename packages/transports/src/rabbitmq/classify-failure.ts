import type { TransportOutcome } from '@waybill/contracts';
import { IllegalOperationError } from 'amqplib';
import { errorCode } from '../error-code.ts';
import { isTlsFailure } from '../tls-failure.ts';
import type { Confirm } from './confirming-channel.ts';

const ACCESS_REFUSED = 403;
const NOT_FOUND = 404;
const PRECONDITION_FAILED = 406;
const NOT_ALLOWED = 530;

/** The reply code of the server's error, or null where the error is not the server's. */
export function replyCode(error: unknown): number | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : null;
}

/** The class of a failed connect. */
export function classifyConnectFailure(error: unknown): string {
  if (error instanceof Error && error.name === 'AbortError') return 'connect-timeout';
  // During the handshake the code stands in the text alone.
  const code = replyCode(error) ?? Number(/\b(403|530) \(/.exec(String(error))?.[1]);
  if (code === ACCESS_REFUSED) return 'unauthorized';
  if (code === NOT_ALLOWED) return 'no-virtual-host';
  if (code === NOT_FOUND) return 'no-exchange';
  return isTlsFailure(error) ? 'tls' : 'connection-failed';
}

/** What the client's refusal to write a publication means; nothing left. */
export function classifyUnsent(error: unknown): TransportOutcome {
  if (error instanceof IllegalOperationError) return { outcome: 'retry', class: 'connection-lost' };
  // Headers beyond 64 KiB, or a routing key beyond 255 bytes.
  return { outcome: 'refused', class: 'not-encodable', detail: errorCode(error) };
}

/** What a confirm, or the lack of one, means for its message. */
export function outcomeOf(confirm: Confirm): TransportOutcome {
  switch (confirm.confirm) {
    case 'stored':
      return { outcome: 'accepted', receipt: null, duplicate: false };
    case 'returned':
      return { outcome: 'refused', class: 'unroutable', detail: `reply code ${confirm.replyCode}` };
    case 'nacked':
      return { outcome: 'retry', class: 'nacked' };
    case 'none':
      return classifyClosed(confirm);
  }
}

function classifyClosed({ error, onlyOne }: Extract<Confirm, { confirm: 'none' }>): TransportOutcome {
  const code = replyCode(error);
  if (code === null) return { outcome: 'unknown', class: 'connection-lost' };
  // A channel that is closed takes down everything on it, and only one of them was the cause.
  const detail = `reply code ${code}`;
  if (!onlyOne) return { outcome: 'unknown', class: 'channel-closed', detail };
  if (code === ACCESS_REFUSED) return { outcome: 'refused', class: 'permission-denied', detail };
  if (code === PRECONDITION_FAILED) return { outcome: 'refused', class: 'too-large', detail };
  return { outcome: 'retry', class: code === NOT_FOUND ? 'no-exchange' : 'channel-closed', detail };
}

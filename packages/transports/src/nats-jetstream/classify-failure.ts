import { JetStreamApiError, jetstreamManager } from '@nats-io/jetstream';
import { errors, type NatsConnection } from '@nats-io/transport-node';
import type { TransportOutcome } from '@waybill/contracts';
import { errorCode } from '../error-code.ts';
import { isTlsFailure } from '../tls-failure.ts';

/** A publish that was not acknowledged. */
export interface PublishFailure {
  readonly error: unknown;
  readonly connection: NatsConnection;
  readonly subject: string;
}

// The message is larger than the stream's max_msg_size.
const MESSAGE_TOO_LARGE = 10_054;

/** The class of a failed connect. */
export function classifyConnectFailure(error: unknown): string {
  if (error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError)
    return 'unauthorized';
  if (error instanceof errors.TimeoutError) return 'connect-timeout';
  return isTlsFailure(error) ? 'tls' : 'connection-failed';
}

/** What a publish without an acknowledgement means for the message. */
export async function classifyPublishFailure({
  error,
  connection,
  subject,
}: PublishFailure): Promise<TransportOutcome> {
  // The class itself is not exported.
  if (error instanceof Error && error.name === 'JetStreamNotEnabled') return nobodyAnswers(connection, subject);
  if (error instanceof JetStreamApiError) return refusedByStream(error);
  const cause = error instanceof errors.RequestError ? error.cause : error;
  if (cause instanceof errors.PermissionViolationError) return { outcome: 'refused', class: 'permission-denied' };
  // The client checks these before it sends.
  if (error instanceof errors.InvalidArgumentError)
    return { outcome: 'refused', class: 'too-large', detail: 'max_payload of the server' };
  if (error instanceof errors.InvalidSubjectError) return { outcome: 'refused', class: 'invalid-subject' };
  if (error instanceof errors.ClosedConnectionError) return { outcome: 'retry', class: 'connection-lost' };
  if (error instanceof errors.TimeoutError) return { outcome: 'unknown', class: 'deadline' };
  return { outcome: 'unknown', class: 'connection-lost', detail: errorCode(error) };
}

/** The server's verdict: 5xx is a state that passes (a full stream, no leader), 4xx is about the message. */
function refusedByStream(error: JetStreamApiError): TransportOutcome {
  const { code, status } = error;
  const detail = `err_code ${code}`;
  if (code === MESSAGE_TOO_LARGE) return { outcome: 'refused', class: 'too-large', detail };
  return status >= 500
    ? { outcome: 'retry', class: 'stream-unavailable', detail }
    : { outcome: 'refused', class: 'stream-refused', detail };
}

/**
 * The client calls it "JetStream is not enabled" when nobody took the message. Either no stream captures the subject, which no
 * retry will change, or the stream has no leader for a moment.
 */
async function nobodyAnswers(connection: NatsConnection, subject: string): Promise<TransportOutcome> {
  try {
    const manager = await jetstreamManager(connection, { checkAPI: false });
    await manager.streams.find(subject);
    return { outcome: 'retry', class: 'no-leader' };
  } catch (error) {
    const noStream = error instanceof Error && error.message.includes('no stream matches subject');
    return noStream
      ? { outcome: 'refused', class: 'no-stream', detail: 'no stream captures the subject' }
      : { outcome: 'retry', class: 'no-leader' };
  }
}

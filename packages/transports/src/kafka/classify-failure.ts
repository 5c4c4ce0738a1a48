import { GenericError, MultipleErrors, ProtocolError, protocolErrorsCodesById } from '@platformatic/kafka';
import type { TransportOutcome } from '@waybill/contracts';
import { errorCode } from '../error-code.ts';
import { isTlsFailure } from '../tls-failure.ts';

/** The class of a failed connect, by the closed codes of the client. */
export function classifyConnectFailure(error: unknown): string {
  const codes = codesOf(error);
  if (codes.has('PLT_KFK_AUTHENTICATION')) return 'unauthorized';
  if (codes.has('PLT_KFK_TIMEOUT')) return 'connect-timeout';
  // Of what is asked for while connecting the topic alone can be wrong.
  if (codes.has('PLT_KFK_USER')) return 'unknown-topic';
  // Either of them finds it out: the client from what the broker says it speaks, or the broker from how it was asked.
  if (codes.has('PLT_KFK_UNSUPPORTED_API') || codes.has('UNSUPPORTED_VERSION')) return 'unsupported-broker';
  return isTlsFailure(error) ? 'tls' : 'connection-failed';
}

/** What a produce to which the broker did not answer means for its records. */
export function classifyUnanswered(error: unknown): TransportOutcome {
  // The client did not like what it was given, and sent nothing.
  if (codesOf(error).has('PLT_KFK_USER')) return { outcome: 'refused', class: 'not-encodable' };
  return { outcome: 'unknown', class: 'connection-lost', detail: errorCode(error) };
}

interface Verdict {
  readonly outcome: 'refused' | 'unknown';
  readonly class: string;
  /** One record is at fault, and the others of its partition were turned away with it. */
  readonly aboutOneRecord?: boolean;
}

/** What the broker's codes mean where it is not "not now"; everything else is a state that passes. */
const VERDICTS: Readonly<Record<string, Verdict>> = {
  MESSAGE_TOO_LARGE: { outcome: 'refused', class: 'too-large', aboutOneRecord: true },
  RECORD_LIST_TOO_LARGE: { outcome: 'refused', class: 'too-large', aboutOneRecord: true },
  INVALID_RECORD: { outcome: 'refused', class: 'invalid-record', aboutOneRecord: true },
  POLICY_VIOLATION: { outcome: 'refused', class: 'policy-violation', aboutOneRecord: true },
  INVALID_TOPIC_EXCEPTION: { outcome: 'refused', class: 'invalid-topic' },
  TOPIC_AUTHORIZATION_FAILED: { outcome: 'refused', class: 'permission-denied' },
  CLUSTER_AUTHORIZATION_FAILED: { outcome: 'refused', class: 'permission-denied' },
  // The leader has the records; whether enough replicas have them nobody knows.
  REQUEST_TIMED_OUT: { outcome: 'unknown', class: 'replicas-silent' },
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: { outcome: 'unknown', class: 'replicas-silent' },
  DUPLICATE_SEQUENCE_NUMBER: { outcome: 'unknown', class: 'duplicate-sequence' },
};

/** Whether the code may be the fault of one record among several. */
export function isAboutOneRecord(code: number): boolean {
  return VERDICTS[nameOf(code)]?.aboutOneRecord === true;
}

/** What a broker's error for a partition means for its records. */
export function classifyProtocolError(code: number): TransportOutcome {
  const detail = nameOf(code);
  const verdict = VERDICTS[detail];
  return verdict
    ? { outcome: verdict.outcome, class: verdict.class, detail }
    : { outcome: 'retry', class: 'broker-refused', detail };
}

function nameOf(code: number): string {
  return protocolErrorsCodesById[code] ?? `error ${code}`;
}

/** The client's and the protocol's codes in an error and in all that it was made of. */
function codesOf(error: unknown): ReadonlySet<string> {
  const codes = new Set<string>();
  const visit = (found: unknown): void => {
    if (!(found instanceof Error)) return;
    if (found instanceof GenericError || found instanceof MultipleErrors) codes.add(found.code);
    if (found instanceof ProtocolError) codes.add(String(found['apiId'])); // the protocol's name of it
    if (found instanceof AggregateError) for (const part of found.errors) visit(part);
    visit(found.cause);
  };
  visit(error);
  return codes;
}

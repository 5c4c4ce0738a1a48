import type { TransportOutcome } from '@waybill/contracts';
import { errorCode } from '../error-code.ts';
import { isTlsCode } from '../tls-failure.ts';

/** How far a request that got no answer had come. */
export interface FailedExchange {
  /** Whether the first byte may have left. */
  readonly sent: boolean;
  readonly error: unknown;
}

const BEFORE_SENDING: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection-refused',
  UND_ERR_CONNECT_TIMEOUT: 'connect-timeout',
  ETIMEDOUT: 'connect-timeout',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  WAYBILL_ADDRESS_FORBIDDEN: 'address-forbidden',
};

const AFTER_SENDING: Readonly<Record<string, string>> = {
  UND_ERR_HEADERS_TIMEOUT: 'headers-timeout',
};

const PARSER_CODE = /^HPE_/;

/** What a request without an answer means for the message: only where no byte left is it certain that nobody has it. */
export function classifyFailure({ sent, error }: FailedExchange): Exclude<TransportOutcome, { outcome: 'accepted' }> {
  const code = errorCode(error);
  if (sent) return { outcome: 'unknown', class: afterSending(code), detail: code };
  return { outcome: 'retry', class: beforeSending(code), detail: code };
}

function beforeSending(code: string): string {
  return BEFORE_SENDING[code] ?? (isTlsCode(code) ? 'tls' : 'connection-failed');
}

function afterSending(code: string): string {
  return AFTER_SENDING[code] ?? (PARSER_CODE.test(code) ? 'invalid-response' : 'connection-lost');
}

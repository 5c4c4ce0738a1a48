import type { TransportOutcome } from '@waybill/contracts';
import { errorCode, errorText } from '../retry/error-text.ts';
import type { HandlerResult } from '../routes/route.ts';
import { checkedOutcome } from './checked-outcome.ts';
import { ACCEPTED } from './outcome.ts';

/** SQLSTATE of a statement that waited longer for a lock than `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03';

/** Runs a handler and turns whatever it does into an outcome: returns, throws at once, rejects later, throws something that is no error. */
export async function invokeHandler(handler: () => HandlerResult | Promise<HandlerResult>): Promise<TransportOutcome> {
  let result: unknown;
  try {
    result = await handler();
  } catch (thrown) {
    return {
      outcome: 'retry',
      class: errorCode(thrown) === LOCK_NOT_AVAILABLE ? 'lock-timeout' : 'handler-error',
      detail: errorText(thrown),
    };
  }
  // A handler that ends with the result of its last statement means nothing by it.
  if (!looksLikeOutcome(result)) return ACCEPTED;
  return (
    checkedOutcome(result) ?? {
      outcome: 'retry',
      class: 'invalid-outcome',
      detail: 'the handler returned an outcome that does not exist',
    }
  );
}

/** What cannot even be looked into is taken for one that is wrong: nobody can say that it means nothing. */
function looksLikeOutcome(result: unknown): boolean {
  try {
    return typeof result === 'object' && result !== null && 'outcome' in result;
  } catch {
    return true;
  }
}

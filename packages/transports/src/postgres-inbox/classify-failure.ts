import type { TransportOutcome } from '@waybill/contracts';
import { errorCode } from '../error-code.ts';
import { TRY_ALONE, type UnitResult } from '../gathering-sender.ts';

// Classes of SQLSTATE: bad data, a constraint that does not hold.
const ABOUT_ONE_MESSAGE: ReadonlySet<string> = new Set(['22', '23']);

const REFUSALS: Readonly<Record<string, string>> = {
  '42501': 'permission-denied',
};

/** What a failed insert means for its messages. With an SQLSTATE the server has rolled it back, or never began it. */
export function classifyInsertFailure(error: unknown, messages: number): UnitResult {
  const state = errorCode(error);
  const isAboutOne = ABOUT_ONE_MESSAGE.has(state.slice(0, 2)) && isSqlState(state);
  if (isAboutOne && messages > 1) return Array.from({ length: messages }, () => TRY_ALONE);
  return Array.from({ length: messages }, () => outcomeOf(state, isAboutOne));
}

function outcomeOf(state: string, isAboutOne: boolean): TransportOutcome {
  // A server that goes down may have committed first.
  if (!isSqlState(state) || state.startsWith('57P') || state.startsWith('08'))
    return { outcome: 'unknown', class: 'connection-lost', detail: state };
  if (isAboutOne) return { outcome: 'refused', class: 'refused-by-table', detail: state };
  const refusal = REFUSALS[state];
  return refusal
    ? { outcome: 'refused', class: refusal, detail: state }
    : { outcome: 'retry', class: 'database-refused', detail: state };
}

function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && code !== 'EPIPE';
}

/** The class of a database that cannot be opened. */
export function classifyConnectFailure(error: unknown): string {
  const state = errorCode(error);
  if (state.startsWith('28')) return 'unauthorized';
  return state === '42P01' || state === '3F000' ? 'no-table' : 'connection-failed';
}

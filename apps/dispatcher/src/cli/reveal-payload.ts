import { createReaders } from '@waybill/contracts';
import type { RecordHistory } from '@waybill/store';
import { loadDispatcher } from '../config/load.ts';
import type { CliContext } from './context.ts';

/** What a reader makes of a payload: the value as it was written, or why this build cannot read it. */
export type RevealPayload = (record: RecordHistory) => Readonly<Record<string, unknown>>;

/** The readers of the configured contracts show payloads as the dispatcher reads them, and nothing else does. */
export async function payloadReader(context: CliContext, file: string | undefined): Promise<RevealPayload> {
  const { contracts } = await loadDispatcher({ ...context, file }, ['database.url']);
  const readers = createReaders(contracts);
  return ({ type, version, payload, headers }) => {
    const read = readers.read({ type, version, payload }, 'stored');
    const shown =
      read.status === 'ok'
        ? { status: read.status, value: read.payload }
        : { status: read.status, reason: read.reason };
    return { payload: shown, headers: JSON.parse(headers) as unknown };
  };
}

import type { OutboxState, RecordHistory, RecordPage, RecordSummary } from '@waybill/store';
import { type Output, table } from './output.ts';

/** A page of messages, one line each. */
export function pageOutput({ records, next }: RecordPage): Output {
  return { document: { records, next }, text: () => pageText(records, next) };
}

function pageText(records: readonly RecordSummary[], next: string | null): string {
  const rows = records.map((record) => [
    record.id,
    contractOf(record),
    stateText(record.state),
    String(record.state.attempt),
    record.enqueuedAt.toISOString(),
    record.recordKey,
    shortened(errorOf(record.state) ?? ''),
  ]);
  const header = ['ID', 'CONTRACT', 'STATE', 'ATTEMPT', 'ENQUEUED', 'KEY', 'ERROR'];
  const more = next === null ? [] : [`more: --after ${next}`];
  return [table([header, ...rows]), ...more].join('\n');
}

// Enough to tell errors apart; show has all of it, and so has the document.
const ERROR_CHARACTERS = 120;

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length <= ERROR_CHARACTERS ? text : `${characters.slice(0, ERROR_CHARACTERS).join('')}…`;
}

/** One message with its history. `revealed`: its payload and headers, for whoever asked for them. */
export function historyOutput(history: RecordHistory, revealed: Readonly<Record<string, unknown>> | null): Output {
  return { document: { record: { ...concealed(history), ...revealed } }, text: () => historyText(history, revealed) };
}

/** Payload and headers may be personal: they leave the store only for those who ask for them. */
function concealed({ payload: _, headers: __, ...record }: RecordHistory): Omit<RecordHistory, 'payload' | 'headers'> {
  return record;
}

function historyText(record: RecordHistory, revealed: Readonly<Record<string, unknown>> | null): string {
  const facts = [
    ['id', record.id],
    ['contract', contractOf(record)],
    ['kind', record.kind],
    ['key', record.recordKey],
    ['tenant', record.tenant ?? ''],
    ['event', record.event ?? ''],
    ['occurred', record.occurredAt.toISOString()],
    ['enqueued', record.enqueuedAt.toISOString()],
    ['state', stateText(record.state)],
    ['attempt', String(record.state.attempt)],
    ['error', errorOf(record.state) ?? ''],
    ...record.deliveries.map((past) => [
      past.ended,
      `${past.at.toISOString()} by ${provenanceOf(past)} after ${String(past.attempts)} attempts${past.ended === 'dead-letter' ? ` (${past.reason}: ${past.error})` : ''}`,
    ]),
    ...record.actions.map(({ action, at, actor, reason }) => [action, `${at.toISOString()} by ${actor}: ${reason}`]),
    ...Object.entries(revealed ?? {}).map(([name, value]) => [name, JSON.stringify(value)]),
  ];
  return table(facts);
}

function provenanceOf({ by, build, writtenVersion, handedVersion }: RecordHistory['deliveries'][number]): string {
  if (build === null) return by;
  const versions =
    handedVersion === null || handedVersion === writtenVersion
      ? `@${String(writtenVersion)}`
      : `@${String(writtenVersion)} as @${String(handedVersion)}`;
  return `${by} of ${build}, ${versions},`;
}

export const contractOf = ({ type, version }: Pick<RecordSummary, 'type' | 'version'>): string =>
  `${type}@${String(version)}`;

function stateText(state: OutboxState): string {
  switch (state.state) {
    case 'pending':
      return `pending (${state.reason})`;
    case 'dead-letter':
      return `dead-letter (${state.discarded === null ? state.reason : 'discarded'})`;
    case 'processing':
    case 'dispatched':
      return state.state;
  }
}

function errorOf(state: OutboxState): string | null {
  return state.state === 'dead-letter' ? state.error : state.lastError;
}

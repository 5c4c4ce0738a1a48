import type { OptionCheck } from '../option-check.ts';
import type { CloudEventsOptions } from './cloud-event.ts';

/** How an event travels: its attributes beside the data, or both in one JSON object. */
export const CLOUD_EVENTS_MODES = ['binary', 'structured'] as const;
export type CloudEventsMode = (typeof CLOUD_EVENTS_MODES)[number];

/** The envelope as an option of a transport. */
export interface CloudEventsEnvelope extends CloudEventsOptions {
  /** `binary` leaves the body as it is and puts the attributes into headers; `structured` puts both into one JSON object. */
  readonly mode: CloudEventsMode;
}

/** Checks the option `cloudEvents` of a transport. */
export function parseEnvelope(
  envelope: CloudEventsEnvelope | undefined,
  check: OptionCheck,
): CloudEventsEnvelope | undefined {
  if (envelope === undefined) return undefined;
  const { mode, source } = envelope;
  check.expect(CLOUD_EVENTS_MODES.includes(mode), 'cloudEvents.mode', CLOUD_EVENTS_MODES.join(' or '), mode);
  const isReference = typeof source === 'string' && /^[!-~]+$/.test(source);
  check.expect(isReference, 'cloudEvents.source', 'a URI reference such as /acme/orders', source);
  return envelope;
}

import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { natsEvent } from '../cloudevents/nats-binding.ts';
import type { OutgoingMessage } from '../transport.ts';
import { waybillHeaders } from '../waybill-headers.ts';
import type { NatsJetStreamSettings } from './settings.ts';

/** What is published. */
export interface NatsMessage {
  readonly subject: string;
  readonly headers: MsgHdrs;
  readonly payload: string;
}

/** A message as NATS gets it: its own headers, Waybill's and the envelope's. `Nats-` names are the server's and are left out. */
export function natsMessage(
  message: OutgoingMessage,
  { subject, cloudEvents }: Pick<NatsJetStreamSettings, 'subject' | 'cloudEvents'>,
): NatsMessage {
  const event = cloudEvents ? natsEvent(message, cloudEvents) : { headers: {}, payload: message.body };
  const all = headers();
  for (const [name, value] of Object.entries({ ...message.headers, ...waybillHeaders(message), ...event.headers })) {
    if (!name.toLowerCase().startsWith('nats-')) all.set(name, value);
  }
  return { subject: subject(message), headers: all, payload: event.payload };
}

import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { CloudEventsEnvelope } from '../cloudevents/envelope.ts';
import { natsEvent } from '../cloudevents/nats-binding.ts';
import type { OutgoingMessage } from '../transport.ts';
import { waybillHeaders } from '../waybill-headers.ts';

/** What is published. */
export interface NatsMessage {
  readonly headers: MsgHdrs;
  readonly payload: string;
}

/** A message as NATS gets it: its own headers, Waybill's and the envelope's. `Nats-` names are the server's and are left out. */
export function natsMessage(message: OutgoingMessage, envelope: CloudEventsEnvelope | undefined): NatsMessage {
  const event = envelope ? natsEvent(message, envelope) : { headers: {}, payload: message.body };
  const all = headers();
  for (const [name, value] of Object.entries({ ...message.headers, ...waybillHeaders(message), ...event.headers })) {
    if (!name.toLowerCase().startsWith('nats-')) all.set(name, value);
  }
  return { headers: all, payload: event.payload };
}

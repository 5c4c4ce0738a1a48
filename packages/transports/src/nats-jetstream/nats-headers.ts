import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { OutgoingMessage } from '../transport.ts';
import { waybillHeaders } from '../waybill-headers.ts';

/** The headers of a message: its own, and Waybill's. `Nats-` names are the server's and are left out. */
export function natsHeaders(message: OutgoingMessage): MsgHdrs {
  const all = headers();
  for (const [name, value] of Object.entries({ ...message.headers, ...waybillHeaders(message) })) {
    if (!name.toLowerCase().startsWith('nats-')) all.set(name, value);
  }
  return all;
}

import { cloudEventAttributes } from '../cloudevents/cloud-event.ts';
import { structuredJson } from '../cloudevents/json-format.ts';
import type { OutgoingMessage } from '../transport.ts';
import { waybillHeaders } from '../waybill-headers.ts';
import type { RedisStreamsSettings } from './settings.ts';

/** The words of a Redis command. */
export type RedisCommand = readonly string[];

/** What of the settings decides a command. */
export type StreamSettings = Pick<RedisStreamsSettings, 'stream' | 'trim' | 'dedupWindowMs' | 'cloudEvents'>;

/**
 * Adds the entry unless the id has one already, in one step on the server. The id's key lies in the slot of the stream, so that
 * the script also runs on a cluster.
 */
const ADD_ONCE = `
local known = redis.call('GET', KEYS[2])
if known then return { known, 1 } end
local entry = redis.call('XADD', KEYS[1], unpack(ARGV, 2))
redis.call('SET', KEYS[2], entry, 'PX', ARGV[1])
return { entry, 0 }
`;

/** The command that adds a message to the stream; its reply is the entry's id, or the id and 1 for a repeat. */
export function addCommand(message: OutgoingMessage, settings: StreamSettings): RedisCommand {
  const { stream, trim, dedupWindowMs } = settings;
  const limit = trim === 'never' ? [] : ['MAXLEN', '~', String(trim.maxLength)];
  const entry = [...limit, '*', ...entryFields(message, settings)];
  if (dedupWindowMs === 0) return ['XADD', stream, ...entry];
  const slot = stream.includes('{') ? stream : `{${stream}}`;
  return ['EVAL', ADD_ONCE, '2', stream, `waybill:sent:${slot}:${message.id}`, String(dedupWindowMs), ...entry];
}

/** An entry's fields and values, in turn. */
function entryFields(message: OutgoingMessage, { cloudEvents }: StreamSettings): readonly string[] {
  const fields = {
    id: message.id,
    ...waybillHeaders(message),
    headers: JSON.stringify(message.headers),
    body: cloudEvents ? structuredJson(cloudEventAttributes(message, cloudEvents), message.body) : message.body,
  };
  return Object.entries(fields).flat();
}

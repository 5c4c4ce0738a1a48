import type { ConfirmChannel, Options } from 'amqplib';

/** What is published. */
export interface Publication {
  readonly exchange: string;
  readonly routingKey: string;
  readonly content: Buffer;
  readonly properties: Options.Publish & { readonly messageId: string };
}

/** What became of a publication. */
export type Confirm =
  | { readonly confirm: 'stored' }
  /** No queue wanted it. */
  | { readonly confirm: 'returned'; readonly replyCode: number }
  | { readonly confirm: 'nacked' }
  /** The channel closed first. `onlyOne`: no other publication was on its way that could have been the cause. */
  | { readonly confirm: 'none'; readonly error: unknown; readonly onlyOne: boolean };

/** Publishes over one channel and tells what became of each publication. */
export interface ConfirmingChannel {
  /** @throws whatever the client throws for what it cannot write; then nothing was sent. */
  publish(publication: Publication): Promise<Confirm>;
  /** How many publications are on their way. */
  unconfirmed(): number;
}

// What the client says for a nack; it has no other way of telling one from a closed channel.
const NACKED = 'message nacked';

/** Watches a channel that is in confirm mode. */
export function confirmingChannel(channel: ConfirmChannel): ConfirmingChannel {
  let unconfirmed = 0;
  let closing: { readonly error: unknown; readonly onlyOne: boolean } | null = null;
  // The server returns a message first and confirms it then, so a confirm after a return means that nobody has it.
  const returned = new Map<string, number>();
  channel.on('return', ({ fields, properties }) => {
    if ('replyCode' in fields) returned.set(String(properties.messageId), Number(fields.replyCode));
  });
  channel.on('error', (error) => {
    closing = { error, onlyOne: unconfirmed === 1 };
  });

  const confirmOf = (error: unknown, messageId: string): Confirm => {
    const replyCode = returned.get(messageId);
    returned.delete(messageId);
    if (error instanceof Error && error.message === NACKED) return { confirm: 'nacked' };
    if (error) return { confirm: 'none', ...(closing ?? { error, onlyOne: false }) };
    return replyCode === undefined ? { confirm: 'stored' } : { confirm: 'returned', replyCode };
  };

  return {
    unconfirmed: () => unconfirmed,
    publish: ({ exchange, routingKey, content, properties }) =>
      new Promise((resolve) => {
        channel.publish(
          exchange,
          routingKey,
          content,
          { ...properties, mandatory: true, persistent: true },
          (error) => {
            resolve(confirmOf(error, properties.messageId));
            unconfirmed--;
          },
        );
        unconfirmed++;
      }),
  };
}

import type { TransportOutcome } from '@waybill/contracts';
import { type ConnectedPort, type ConnectedSettings, connectedTransport } from './connected-transport.ts';
import { errorCode } from './error-code.ts';
import { notSent, publishInOrder } from './publish-in-order.ts';
import { LONGEST_TIMER_MS, type PublishWindow, withinWindow } from './publish-window.ts';
import type { OpenConnection, SharedConnection } from './shared-connection.ts';
import type { OutgoingMessage, Transport } from './transport.ts';

/** What a broker's folder brings: a connection, how one message goes over it, and what errors mean. */
export interface BrokerPort<C> extends ConnectedPort<C> {
  /** Hands over one message. Every failure that the client knows is an outcome; a rejection counts as `unknown`. */
  send(connection: C, message: OutgoingMessage, limits: SendLimits): Promise<TransportOutcome>;
  /** Whether a connection that let a deadline pass is known to be sound all the same. Without it such a connection is given up. */
  isSound?(connection: C): boolean;
}

/** When nobody waits for the outcome any more, in the two forms that clients understand. */
export interface SendLimits {
  readonly signal: AbortSignal;
  /** A limit for clients that want one: a whole number that a timer can take, a little later than the signal. */
  readonly giveUpAfterMs: number;
}

// Enough for the window's own timer to come first on a busy event loop.
const LATER_MS = 1_000;

/** Makes a transport of a broker's port. Messages go one by one, those of a record key each after the outcome of the one before it. */
export function brokerTransport<C>(settings: ConnectedSettings, port: BrokerPort<C>): Transport {
  const { capabilities, now } = settings;
  return connectedTransport(settings, port, (shared) => ({ batch, context, window }) => {
    const sending: Sending<C> = {
      port,
      shared,
      window,
      giveUpAfterMs: () => Math.min(Math.ceil(context.deadline - now()) + LATER_MS, LONGEST_TIMER_MS),
    };
    const limits = { window, maxBytes: capabilities.maxBytes };
    return publishInOrder(batch, limits, (message) => connectAndSend(sending, message));
  });
}

interface Sending<C> {
  readonly port: BrokerPort<C>;
  readonly shared: SharedConnection<C>;
  readonly window: PublishWindow;
  readonly giveUpAfterMs: () => number;
}

async function connectAndSend<C>(sending: Sending<C>, message: OutgoingMessage): Promise<TransportOutcome> {
  const { port, shared, window } = sending;
  try {
    const opened = await withinWindow(shared.open(), window);
    // The connection may have taken long, and from here on bytes leave.
    const end = window.ended();
    return opened.ended || end ? notSent(end ?? 'deadline') : await send(sending, opened.value, message);
  } catch (error) {
    return { outcome: 'retry', class: port.connectFailure(error), detail: errorCode(error) };
  }
}

async function send<C>(
  { port, window, giveUpAfterMs }: Sending<C>,
  open: OpenConnection<C>,
  message: OutgoingMessage,
): Promise<TransportOutcome> {
  try {
    const limits: SendLimits = { signal: window.signal, giveUpAfterMs: giveUpAfterMs() };
    const sent = await open.use((connection) => withinWindow(port.send(connection, message, limits), window));
    if (!sent.ended) return sent.value;
    const end = window.ended() ?? 'deadline'; // the timer may be a fraction of a millisecond early
    // A connection that let a deadline pass may be half open, and would do the same to whatever comes next.
    if (end === 'deadline' && !port.isSound?.(open.connection)) await open.retire();
    return { outcome: 'unknown', class: end };
  } catch (error) {
    return { outcome: 'unknown', class: 'connection-lost', detail: errorCode(error) };
  }
}

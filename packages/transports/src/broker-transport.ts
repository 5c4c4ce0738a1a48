import type { TransportOutcome } from '@waybill/contracts';
import { errorCode } from './error-code.ts';
import { trackInFlight } from './in-flight.ts';
import { notSent, publishInOrder } from './publish-in-order.ts';
import {
  LONGEST_TIMER_MS,
  type MonotonicClock,
  openWindow,
  type PublishWindow,
  withinWindow,
} from './publish-window.ts';
import {
  type ConnectionPort,
  type OpenConnection,
  type SharedConnection,
  shareConnection,
} from './shared-connection.ts';
import type { OutgoingMessage, ProbeResult, Transport, TransportCapabilities } from './transport.ts';

/** What a broker's folder brings: a connection, how one message goes over it, and what errors mean. */
export interface BrokerPort<C> extends ConnectionPort<C> {
  /** Hands over one message. Every failure that the client knows is an outcome; a rejection counts as `unknown`. */
  send(connection: C, message: OutgoingMessage, limits: SendLimits): Promise<TransportOutcome>;
  /** Whether a connection that let a deadline pass is known to be sound all the same. Without it such a connection is given up. */
  isSound?(connection: C): boolean;
  /** The class of a failed `connect`. */
  connectFailure(error: unknown): string;
  /** Looks at the target's settings; the result is what weakens a guarantee. */
  inspect(connection: C): Promise<readonly string[]>;
}

/** When nobody waits for the outcome any more, in the two forms that clients understand. */
export interface SendLimits {
  readonly signal: AbortSignal;
  /** A limit for clients that want one: a whole number that a timer can take, a little later than the signal. */
  readonly giveUpAfterMs: number;
}

// Enough for the window's own timer to come first on a busy event loop.
const LATER_MS = 1_000;

/** What all transports have. */
export interface BrokerTransportSettings {
  readonly name: string;
  readonly capabilities: TransportCapabilities;
  readonly now: MonotonicClock;
}

/** Makes a transport of a broker's port: order, deadline, abort, reconnecting and closing are the same for all of them. */
export function brokerTransport<C>(
  { name, capabilities, now }: BrokerTransportSettings,
  port: BrokerPort<C>,
): Transport {
  const inFlight = trackInFlight(name);
  const shared = shareConnection(port);

  return {
    name,
    capabilities,
    publish: (batch, context) =>
      inFlight.run(async () => {
        const window = openWindow(context, now);
        const sending: Sending<C> = {
          port,
          shared,
          window,
          giveUpAfterMs: () => Math.min(Math.ceil(context.deadline - now()) + LATER_MS, LONGEST_TIMER_MS),
        };
        try {
          const limits = { window, maxBytes: capabilities.maxBytes };
          return await publishInOrder(batch, limits, (message) => connectAndSend(sending, message));
        } finally {
          window.dispose();
        }
      }),
    probe: (signal) => probe(port, shared, signal),
    close: () => inFlight.close(() => shared.close()),
  };
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

async function probe<C>(port: BrokerPort<C>, shared: SharedConnection<C>, signal: AbortSignal): Promise<ProbeResult> {
  const window = openWindow({ signal, deadline: Number.POSITIVE_INFINITY }, () => 0);
  try {
    const look = shared.open().then((open) => open.use((connection) => port.inspect(connection)));
    const looked = await withinWindow(look, window);
    return looked.ended ? { status: 'unreachable', class: 'aborted' } : { status: 'reachable', warnings: looked.value };
  } catch (error) {
    return { status: 'unreachable', class: port.connectFailure(error), detail: errorCode(error) };
  } finally {
    window.dispose();
  }
}

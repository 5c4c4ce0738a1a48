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
import { type ConnectionPort, type SharedConnection, shareConnection } from './shared-connection.ts';
import type { OutgoingMessage, ProbeResult, Transport, TransportCapabilities } from './transport.ts';

/** What a broker's folder brings: a connection, how one message goes over it, and what errors mean. */
export interface BrokerPort<C> extends ConnectionPort<C> {
  /** Hands over one message; `remainingMs` is a whole number that a timer can take. Every failure that the client knows is an outcome; a rejection counts as `unknown`. */
  send(connection: C, message: OutgoingMessage, remainingMs: number): Promise<TransportOutcome>;
  /** The class of a failed `connect`. */
  connectFailure(error: unknown): string;
  /** Looks at the target's settings; the result is what weakens a guarantee. */
  inspect(connection: C): Promise<readonly string[]>;
}

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
  const connection = shareConnection(port);

  return {
    name,
    capabilities,
    publish: (batch, context) =>
      inFlight.run(async () => {
        const window = openWindow(context, now);
        const remainingMs = (): number => Math.min(Math.max(1, Math.ceil(context.deadline - now())), LONGEST_TIMER_MS);
        try {
          return await publishInOrder(batch, { window, maxBytes: capabilities.maxBytes }, (message) =>
            sendWithin({ port, connection, window, remainingMs }, message),
          );
        } finally {
          window.dispose();
        }
      }),
    probe: (signal) => probe(port, connection, signal),
    close: () => inFlight.close(() => connection.close()),
  };
}

interface Sending<C> {
  readonly port: BrokerPort<C>;
  readonly connection: SharedConnection<C>;
  readonly window: PublishWindow;
  readonly remainingMs: () => number;
}

async function sendWithin<C>(sending: Sending<C>, message: OutgoingMessage): Promise<TransportOutcome> {
  const { port, window } = sending;
  const connected = await connectWithin(sending);
  if ('outcome' in connected) return connected;
  // The connection may have taken long, and from here on bytes leave.
  const end = window.ended();
  if (end) return notSent(end);
  try {
    const sent = await withinWindow(port.send(connected.connection, message, sending.remainingMs()), window);
    return sent.ended ? { outcome: 'unknown', class: window.ended() ?? 'deadline' } : sent.value;
  } catch (error) {
    return { outcome: 'unknown', class: 'connection-lost', detail: errorCode(error) };
  }
}

async function connectWithin<C>({
  port,
  connection,
  window,
}: Sending<C>): Promise<TransportOutcome | { connection: C }> {
  try {
    const connected = await withinWindow(connection.get(), window);
    return connected.ended ? notSent('there was no connection in time') : { connection: connected.value };
  } catch (error) {
    return { outcome: 'retry', class: port.connectFailure(error), detail: errorCode(error) };
  }
}

async function probe<C>(port: BrokerPort<C>, shared: SharedConnection<C>, signal: AbortSignal): Promise<ProbeResult> {
  const window = openWindow({ signal, deadline: Number.POSITIVE_INFINITY }, () => 0);
  try {
    const looked = await withinWindow(
      shared.get().then((connection) => port.inspect(connection)),
      window,
    );
    return looked.ended ? { status: 'unreachable', class: 'aborted' } : { status: 'reachable', warnings: looked.value };
  } catch (error) {
    return { status: 'unreachable', class: port.connectFailure(error), detail: errorCode(error) };
  } finally {
    window.dispose();
  }
}

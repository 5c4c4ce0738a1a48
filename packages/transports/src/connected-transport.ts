import type { TransportOutcome } from '@waybill/contracts';
import { errorCode } from './error-code.ts';
import { trackInFlight } from './in-flight.ts';
import { type MonotonicClock, openWindow, type PublishWindow, withinWindow } from './publish-window.ts';
import { type ConnectionPort, type SharedConnection, shareConnection } from './shared-connection.ts';
import type { OutgoingMessage, ProbeResult, PublishContext, Transport, TransportCapabilities } from './transport.ts';

/** What a target behind a connection brings, however messages go over it. */
export interface ConnectedPort<C> extends ConnectionPort<C> {
  /** The class of a failed `connect`. */
  connectFailure(error: unknown): string;
  /** Looks at the target's settings; the result is what weakens a guarantee. */
  inspect(connection: C): Promise<readonly string[]>;
}

/** What all transports have. */
export interface ConnectedSettings {
  readonly name: string;
  readonly capabilities: TransportCapabilities;
  readonly now: MonotonicClock;
}

/** One publish, while it may send. */
export interface OpenPublish {
  readonly batch: readonly OutgoingMessage[];
  readonly context: PublishContext;
  readonly window: PublishWindow;
}

/** How the messages of one publish go over the connection. */
export type PublishOver = (publish: OpenPublish) => Promise<readonly TransportOutcome[]>;

/** Makes a transport around a shared connection: deadline, abort, probing and closing are the same for all of them. */
export function connectedTransport<C>(
  { name, capabilities, now }: ConnectedSettings,
  port: ConnectedPort<C>,
  publishOver: (shared: SharedConnection<C>) => PublishOver,
): Transport {
  const inFlight = trackInFlight(name);
  const shared = shareConnection(port);
  const publish = publishOver(shared);

  return {
    name,
    capabilities,
    publish: (batch, context) =>
      inFlight.run(async () => {
        const window = openWindow(context, now);
        try {
          return await publish({ batch, context, window });
        } finally {
          window.dispose();
        }
      }),
    probe: (signal) => probe(port, shared, signal),
    close: () => inFlight.close(() => shared.close()),
  };
}

async function probe<C>(
  port: ConnectedPort<C>,
  shared: SharedConnection<C>,
  signal: AbortSignal,
): Promise<ProbeResult> {
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

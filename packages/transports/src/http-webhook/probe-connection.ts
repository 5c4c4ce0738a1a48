import type { buildConnector } from 'undici';
import { errorCode } from '../error-code.ts';
import type { ProbeResult } from '../transport.ts';
import { classifyFailure } from './classify-failure.ts';
import { hostnameOf } from './destination.ts';

/** Opens a connection to the receiver (TLS included) and closes it. A request, whatever its method, might be taken for a message. */
export function probeConnection(
  connect: buildConnector.connector,
  url: URL,
  signal: AbortSignal,
): Promise<ProbeResult> {
  return new Promise((resolve) => {
    const give = (result: ProbeResult): void => {
      signal.removeEventListener('abort', stop);
      resolve(result);
    };
    const stop = (): void => give({ status: 'unreachable', class: 'aborted' });
    if (signal.aborted) {
      stop();
      return;
    }
    signal.addEventListener('abort', stop, { once: true });

    connect({ hostname: hostnameOf(url), host: url.host, protocol: url.protocol, port: url.port }, (error, socket) => {
      socket?.destroy();
      give(error === null ? { status: 'reachable', warnings: [] } : unreachable(error));
    });
  });
}

function unreachable(error: unknown): ProbeResult {
  const { class: reason } = classifyFailure({ sent: false, error });
  return { status: 'unreachable', class: reason, detail: errorCode(error) };
}

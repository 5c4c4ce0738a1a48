import type { buildConnector } from 'undici';
import { errorCode } from '../error-code.ts';
import type { ProbeResult } from '../transport.ts';
import { classifyFailure } from './classify-failure.ts';
import { hostnameOf } from './options.ts';

/** Opens a connection to the receiver (TLS included) and closes it. A request, whatever its method, might be taken for a message. */
export function probeConnection(connect: buildConnector.connector, url: URL, signal: AbortSignal): Promise<ProbeResult> {
  return new Promise((resolve) => {
    const give = (result: ProbeResult): void => {
      signal.removeEventListener('abort', stop);
      resolve(result);
    };
    const stop = (): void => give({ status: 'unreachable', class: 'aborted' });
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });

    connect({ hostname: hostnameOf(url), host: url.host, protocol: url.protocol, port: url.port }, (error, socket) => {
      socket?.destroy();
      if (error === null) return give({ status: 'reachable', warnings: [] });
      const failure = classifyFailure({ sent: false, error });
      give({ status: 'unreachable', class: 'class' in failure ? failure.class : 'connection-failed', detail: errorCode(error) });
    });
  });
}

import type { TransportOutcome } from '@waybill/contracts';
import { trackInFlight } from '../in-flight.ts';
import { checkOptions } from '../option-check.ts';
import { publishInOrder } from '../publish-in-order.ts';
import { type MonotonicClock, openWindow } from '../publish-window.ts';
import type { OutgoingMessage, Transport } from '../transport.ts';

/** How the memory transport behaves. */
export interface MemoryOptions {
  /** The destination's name in logs and metrics. Default `memory`. */
  readonly name?: string;
  /** Decides the outcome of a message, so that a test can play a target that fails. Default: every message is accepted. */
  readonly respond?: (message: OutgoingMessage) => TransportOutcome | Promise<TransportOutcome>;
  /** Clock of the deadline. Default `performance.now`. */
  readonly now?: MonotonicClock;
}

/** A transport whose target is a list in this process. */
export interface MemoryTransport extends Transport {
  /** What was accepted, oldest first; it is kept until `clear`. */
  readonly accepted: readonly OutgoingMessage[];
  /** Drops what was accepted so far. */
  clear(): void;
}

const MAX_BYTES = 2 ** 20;
const ACCEPTED: TransportOutcome = { outcome: 'accepted', receipt: null, duplicate: false };

/**
 * Keeps messages in memory: for tests and first steps. Gone with the process.
 *
 * @throws TransportError `TRN_OPTIONS_INVALID` naming every problem of the options.
 */
export function memory(options: MemoryOptions = {}): MemoryTransport {
  const { respond = () => ACCEPTED, now = () => performance.now() } = options;
  const check = checkOptions('memory', options, ['name', 'respond', 'now'] satisfies readonly (keyof MemoryOptions)[]);
  const name = check.name(options.name, 'memory');
  check.done();

  const accepted: OutgoingMessage[] = [];
  const inFlight = trackInFlight(name);
  const keep = async (message: OutgoingMessage): Promise<TransportOutcome> => {
    const outcome = await respond(message);
    if (outcome.outcome === 'accepted') accepted.push(message);
    return outcome;
  };

  return {
    name,
    accepted,
    capabilities: {
      dedup: 'none',
      dedupWindowMs: null,
      ordering: 'record-key',
      maxBatch: 1000,
      partialResults: true,
      maxBytes: MAX_BYTES,
    },
    clear() {
      accepted.length = 0;
    },
    publish: (batch, context) =>
      inFlight.run(async () => {
        const window = openWindow(context, now);
        try {
          return await publishInOrder(batch, { window, maxBytes: MAX_BYTES }, keep);
        } finally {
          window.dispose();
        }
      }),
    probe: async () => ({ status: 'reachable', warnings: ['messages are gone when the process ends'] }),
    close: () => inFlight.close(async () => undefined),
  };
}

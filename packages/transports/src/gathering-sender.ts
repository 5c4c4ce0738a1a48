import type { TransportOutcome } from '@waybill/contracts';
import type { BatchPort } from './batch-transport.ts';
import { errorCode } from './error-code.ts';
import { notSent } from './publish-in-order.ts';
import type { PublishWindow } from './publish-window.ts';
import type { OpenConnection, SharedConnection } from './shared-connection.ts';
import type { OutgoingMessage } from './transport.ts';

/** The unit was refused for one of its messages, and nobody can tell which: each is tried alone. Never said of a single message. */
export const TRY_ALONE = 'try-alone';

/** What became of each message of a unit. */
export type UnitResult = readonly (TransportOutcome | typeof TRY_ALONE)[];

/** How large a unit may be. */
export interface UnitLimits {
  readonly maxBatch: number;
  readonly maxBytes: number;
}

/** Sends what several publishes hand in, one unit after the other. */
export interface GatheringSender {
  send(messages: readonly OutgoingMessage[], window: PublishWindow): Promise<readonly TransportOutcome[]>;
}

/** A message in line, and the publish that it belongs to. */
interface Waiting {
  readonly message: OutgoingMessage;
  readonly window: PublishWindow;
  /** Record keys of its publish at which a message before it was not accepted. */
  readonly stopped: Set<string>;
  /** Tells the outcome; only the first call counts. */
  readonly settle: (outcome: TransportOutcome) => void;
  /** Whether it is on its way, or was. */
  sent: boolean;
}

/** Makes a sender over the connection. */
export function gatheringSender<C>(
  shared: SharedConnection<C>,
  port: BatchPort<C>,
  limits: UnitLimits,
): GatheringSender {
  const line: Waiting[] = [];
  let draining = false;

  const drain = async (): Promise<void> => {
    if (draining) return;
    draining = true;
    while (line.length > 0) await sendUnit({ shared, port }, takeUnit(line, limits));
    draining = false;
  };

  return {
    send(messages, window) {
      const stopped = new Set<string>();
      const outcomes = messages.map((message) => waitInLine({ line, message, window, stopped }));
      void drain(); // never rejects: what goes wrong is an outcome
      return Promise.all(outcomes);
    },
  };
}

interface Arriving extends Pick<Waiting, 'message' | 'window' | 'stopped'> {
  readonly line: Waiting[];
}

/** Puts a message in line and waits for its outcome, but not beyond the window. */
function waitInLine({ line, message, window, stopped }: Arriving): Promise<TransportOutcome> {
  return new Promise((resolve) => {
    const giveUp = (): void => {
      const end = window.ended() ?? 'deadline'; // the timer may be a fraction of a millisecond early
      settle(waiting.sent ? { outcome: 'unknown', class: end } : notSent(end));
    };
    const settle = (outcome: TransportOutcome): void => {
      window.signal.removeEventListener('abort', giveUp);
      if (outcome.outcome !== 'accepted' && message.recordKey !== '') stopped.add(message.recordKey);
      resolve(outcome);
    };
    const waiting: Waiting = { message, window, stopped, settle, sent: false };
    window.signal.addEventListener('abort', giveUp, { once: true });
    line.push(waiting);
  });
}

/** Takes from the front of the line what fits into one unit, at least one message. */
function takeUnit(line: Waiting[], { maxBatch, maxBytes }: UnitLimits): readonly Waiting[] {
  let bytes = 0;
  const end = line.findIndex(({ message }, index) => {
    bytes += Buffer.byteLength(message.body);
    return index >= maxBatch || (index > 0 && bytes > maxBytes);
  });
  return line.splice(0, end < 0 ? line.length : end);
}

interface Link<C> {
  readonly shared: SharedConnection<C>;
  readonly port: BatchPort<C>;
}

async function sendUnit<C>(link: Link<C>, unit: readonly Waiting[]): Promise<void> {
  const { shared, port } = link;
  let open: OpenConnection<C>;
  try {
    open = await shared.open();
  } catch (error) {
    const failed: TransportOutcome = { outcome: 'retry', class: port.connectFailure(error), detail: errorCode(error) };
    for (const { settle } of unit) settle(failed);
    return;
  }
  const going = unit.filter(mayGo);
  if (going.length > 0) await sendOver(link, open, going);
}

/** The last look before bytes leave; what must not go is told so. */
function mayGo({ message, window, stopped, settle }: Waiting): boolean {
  const end = window.ended();
  if (end) settle(notSent(end));
  else if (stopped.has(message.recordKey)) settle(notSent('an earlier message of its record key was not accepted'));
  else return true;
  return false;
}

async function sendOver<C>(link: Link<C>, open: OpenConnection<C>, going: readonly Waiting[]): Promise<void> {
  for (const waiting of going) waiting.sent = true;
  const messages = going.map(({ message }) => message);
  const over = lastEnd(going);
  try {
    const sent = await open.use((connection) => Promise.race([link.port.sendUnit(connection, messages), over.ended]));
    // Nobody waits any more. Whoever comes next gets a connection that is not half open.
    if (sent === null) await open.retire();
    else await settleUnit(link, going, sent);
  } catch (error) {
    for (const { settle } of going) settle({ outcome: 'unknown', class: 'connection-lost', detail: errorCode(error) });
  } finally {
    over.dispose();
  }
}

async function settleUnit<C>(link: Link<C>, going: readonly Waiting[], result: UnitResult): Promise<void> {
  const alone: Waiting[] = [];
  for (const [index, waiting] of going.entries()) {
    const outcome = result[index] ?? NO_OUTCOME;
    if (outcome === TRY_ALONE) alone.push(waiting);
    else waiting.settle(outcome);
  }
  for (const waiting of alone) await sendUnit(link, [waiting]);
}

const NO_OUTCOME: TransportOutcome = { outcome: 'unknown', class: 'no-outcome' };

/** Resolves to null when the windows of all have ended. */
function lastEnd(going: readonly Waiting[]): { readonly ended: Promise<null>; readonly dispose: () => void } {
  const signals = new Set(going.map(({ window }) => window.signal));
  let dispose = (): void => undefined;
  const ended = new Promise<null>((resolve) => {
    const note = (): void => {
      if ([...signals].every(({ aborted }) => aborted)) resolve(null);
    };
    for (const signal of signals) signal.addEventListener('abort', note, { once: true });
    dispose = () => {
      for (const signal of signals) signal.removeEventListener('abort', note);
    };
  });
  return { ended, dispose };
}

import type { Transport } from '@waybill/transports';
import type { Logger } from 'pino';
import { errorText } from '../retry/error-text.ts';
import type { Route } from '../routes/route.ts';

/**
 * Looks at each target of the routes once, without leaving anything there, and says what weakens a guarantee: a queue that forgets, a window for
 * duplicates that is too short. A target that is away is no reason not to start; its records wait as they would later.
 */
export async function probeTargets(
  routes: readonly Route[],
  log: Pick<Logger, 'warn'>,
  signal: AbortSignal,
): Promise<void> {
  const targets = new Set(routes.flatMap((route) => (route.via === 'publish' ? [route.to] : [])));
  await Promise.all([...targets].map((target) => probeTarget(target, log, signal)));
}

async function probeTarget(target: Transport, log: Pick<Logger, 'warn'>, signal: AbortSignal): Promise<void> {
  const destination = target.name;
  try {
    const result = await target.probe(signal);
    if (result.status === 'unreachable') log.warn({ destination, class: result.class }, 'a target cannot be reached');
    else for (const warning of result.warnings) log.warn({ destination, warning }, 'a target weakens a guarantee');
  } catch (error) {
    // A transport is foreign code; that it throws says no more than that nobody knows.
    log.warn({ destination, error: errorText(error) }, 'a target could not be looked at');
  }
}

import type { Transport } from '@waybill/transports';
import type { Logger } from 'pino';
import { errorText } from '../retry/error-text.ts';
import type { Route } from '../routes/route.ts';

/** What a look at the targets depends on. */
export interface ProbeSurroundings {
  readonly leaseMs: number;
  readonly signal: AbortSignal;
}

/**
 * Looks at each target of the routes once, without leaving anything there, and says what weakens a guarantee: a queue that forgets, a window for
 * duplicates that is too short. A target that is away is no reason not to start; its records wait as they would later.
 */
export async function probeTargets(
  routes: readonly Route[],
  log: Pick<Logger, 'warn'>,
  { leaseMs, signal }: ProbeSurroundings,
): Promise<void> {
  const targets = new Set(routes.flatMap((route) => (route.via === 'publish' ? [route.to] : [])));
  for (const target of targets) judgeWindow(target, log, leaseMs);
  await Promise.all([...targets].map((target) => probeTarget(target, log, signal)));
}

// A message may have left at the end of one lease, whose holder died then, and leave again at the end of the next one.
const LEASES_IN_WINDOW = 2;

function judgeWindow({ name, capabilities }: Transport, log: Pick<Logger, 'warn'>, leaseMs: number): void {
  const { dedupWindowMs } = capabilities;
  const neededMs = LEASES_IN_WINDOW * leaseMs;
  if (dedupWindowMs === null || dedupWindowMs >= neededMs) return;
  const warning = `it knows ids for ${dedupWindowMs} ms, and two leases last ${neededMs} ms: what is sent again after a crash may be there twice`;
  log.warn({ destination: name, warning }, 'a target weakens a guarantee');
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

import type { TypedRecord } from '@waybill/store';
import type { HeldRun } from '../loop/held-run.ts';
import type { CallRoute, HandleRoute, Route } from '../routes/route.ts';
import { type DatabaseAttemptDeps, databaseAttempt } from './database-attempt.ts';
import { type AttemptEnd, endOf } from './end.ts';
import { handled, type ReadRecord } from './envelope.ts';
import { invokeHandler } from './invoke-handler.ts';
import { type AttemptOutcome, LEASE_LOST } from './outcome.ts';
import { type PublishDeps, publishTogether } from './publish-together.ts';
import { readRecord, unreadableOutcome } from './read-record.ts';

export interface AttemptDeps extends DatabaseAttemptDeps, PublishDeps {
  /** By message type. */
  readonly routes: ReadonlyMap<string, Route>;
  /** Nothing of the run is being written any more. */
  readonly quiet: (run: HeldRun) => Promise<void>;
}

/**
 * Tries to deliver records of a run, in their order: reads each by its own version, takes it where its type is routed, and decides what becomes
 * of it. Several at once only where all of them lead to one transport, which gets them in one publish. Gives an end for each: what comes after
 * the first that was not delivered has not been sent, and its end says so.
 */
export async function attempt(
  records: readonly TypedRecord[],
  run: HeldRun,
  deps: AttemptDeps,
): Promise<readonly AttemptEnd[]> {
  const [first, ...others] = records;
  if (first === undefined) return [];
  const route = routeOf(first, deps);
  if (route.via !== 'publish') return [await handleAlone(route, first, run, deps)];
  const along = others.flatMap((record) => {
    const other = routeOf(record, deps);
    return other.via === 'publish' ? [{ record, route: other }] : [];
  });
  return await publishTogether([{ record: first, route }, ...along], run, deps);
}

async function handleAlone(
  route: CallRoute | HandleRoute,
  record: TypedRecord,
  run: HeldRun,
  deps: AttemptDeps,
): Promise<AttemptEnd> {
  const read = readRecord(route, record, run, deps);
  const end = (outcome: AttemptOutcome) => endOf(outcome, record, run, deps);
  if (!('read' in read)) return end(await unreadableOutcome(record, run, read, deps));
  if (route.via === 'call') return end(await callAttempt(route, read, run));
  await deps.quiet(run);
  if (!run.isSafe(deps.clock.now())) return end(LEASE_LOST);
  const decide = (outcome: AttemptOutcome) => end(outcome).decision;
  const tried = await databaseAttempt({ route, record: read, run, decide }, deps);
  return tried.settled ? tried : end(tried.outcome);
}

function callAttempt(route: CallRoute, record: ReadRecord, run: HeldRun): Promise<AttemptOutcome> {
  // The reader has given the payload the type that the constructor of the route asked for.
  const payload = record.read.payload as never;
  const context = {
    message: handled(record),
    // Made only for a handler that looks at it.
    get signal() {
      return run.signal;
    },
  };
  return invokeHandler(() => route.handler(payload, context));
}

function routeOf({ type }: TypedRecord, { routes }: AttemptDeps): Route {
  const route = routes.get(type);
  // Only what has a route is asked for.
  if (route === undefined) throw new TypeError(`claimed a record of type ${type}, which has no route`);
  return route;
}

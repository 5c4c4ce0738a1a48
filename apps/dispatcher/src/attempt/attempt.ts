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

/** Tries to deliver a record of a run: reads it by its own version, takes it where its type is routed, and decides what becomes of it. */
export function attempt(record: TypedRecord, run: HeldRun, deps: AttemptDeps): Promise<AttemptEnd> {
  const route = routeOf(record, deps);
  return route.via === 'publish'
    ? publishTogether([{ record, route }], run, deps).then(onlyOne)
    : handleAlone(route, record, run, deps);
}

function onlyOne([end]: readonly AttemptEnd[]): AttemptEnd {
  if (end === undefined) throw new TypeError('a publish of one record gave no end');
  return end;
}

/**
 * Tries to deliver records of a run, all of which lead to one transport, in one publish and in their order. Gives an end for each: what comes
 * after the first that was not delivered has not been sent, and its end says so.
 */
export function attemptTogether(
  records: readonly TypedRecord[],
  run: HeldRun,
  deps: AttemptDeps,
): Promise<readonly AttemptEnd[]> {
  const [first, ...others] = records.flatMap((record) => {
    const route = routeOf(record, deps);
    return route.via === 'publish' ? [{ record, route }] : [];
  });
  return first === undefined ? Promise.resolve([]) : publishTogether([first, ...others], run, deps);
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

import type { Readers, Unreadable, WantedVersion } from '@waybill/contracts';
import type { KeptPolicy, TypedRecord } from '@waybill/store';
import type { Clock } from '../loop/clock.ts';
import type { HeldRun } from '../loop/held-run.ts';
import { classify, type Decision } from '../retry/classify.ts';
import type { CallRoute, Route } from '../routes/route.ts';
import { type DatabaseAttemptDeps, type DatabaseAttemptEnd, databaseAttempt } from './database-attempt.ts';
import { handled, type ReadRecord } from './envelope.ts';
import { invokeHandler } from './invoke-handler.ts';
import { type AttemptOutcome, LEASE_LOST } from './outcome.ts';
import { publishAttempt } from './publish-attempt.ts';

export interface AttemptDeps extends DatabaseAttemptDeps {
  readonly readers: Readers;
  /** By message type. */
  readonly routes: ReadonlyMap<string, Route>;
  /** For a record that has not failed before; one that has keeps its own. */
  readonly policy: (run: HeldRun) => KeptPolicy;
  /** Nothing of the run is being written any more. */
  readonly quiet: (run: HeldRun) => Promise<void>;
  readonly onRead: (record: TypedRecord) => void;
  /** Gives whether no live build can read it. */
  readonly onUnreadable: (record: TypedRecord, run: HeldRun, why: Unreadable) => Promise<boolean>;
  readonly clock: Clock;
  readonly random: () => number;
}

/** How an attempt ended; when it is not settled yet, `decision` is what to write down. */
export type AttemptEnd =
  | Extract<DatabaseAttemptEnd, { settled: true }>
  | { readonly settled: false; readonly outcome: AttemptOutcome; readonly decision: Decision };

/** Tries to deliver one record: reads it by its own version, takes it where its type is routed, and decides what becomes of it. */
export async function attempt(record: TypedRecord, run: HeldRun, deps: AttemptDeps): Promise<AttemptEnd> {
  const policy = record.policy ?? deps.policy(run);
  const context = { position: record.position, attempt: record.attempt + 1, policy, random: deps.random };
  const decide = (outcome: AttemptOutcome): Decision => classify(judged(outcome, run), context);
  const end = await routed(record, run, decide, deps);
  return end.settled ? end : { settled: false, outcome: judged(end.outcome, run), decision: decide(end.outcome) };
}

async function routed(
  record: TypedRecord,
  run: HeldRun,
  decide: (outcome: AttemptOutcome) => Decision,
  deps: AttemptDeps,
): Promise<DatabaseAttemptEnd> {
  const route = deps.routes.get(record.type);
  // Only what has a route is asked for.
  if (route === undefined) throw new TypeError(`claimed a record of type ${record.type}, which has no route`);
  const read = deps.readers.read(record, wantedVersion(route));
  if (read.status !== 'ok') {
    const byNobody = await deps.onUnreadable(record, run, read);
    const outcome = { outcome: 'unreadable-here', class: read.status, detail: read.reason, byNobody } as const;
    return { settled: false, outcome };
  }
  deps.onRead(record);
  const readRecord = { record, message: route.message, read, fence: run.fence };
  switch (route.via) {
    case 'publish':
      return { settled: false, outcome: await publishAttempt(route, readRecord, run, deps.clock) };
    case 'call':
      return { settled: false, outcome: await callAttempt(route, readRecord, run) };
    case 'handle':
      await deps.quiet(run);
      if (!run.isSafe(deps.clock.now())) return { settled: false, outcome: LEASE_LOST };
      return await databaseAttempt({ route, record: readRecord, run, decide }, deps);
  }
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

function wantedVersion(route: Route): WantedVersion {
  return route.via === 'publish' ? (route.publishAs ?? 'stored') : 'newest';
}

/** A target that failed because it was told to stop has not failed. */
function judged(outcome: AttemptOutcome, run: HeldRun): AttemptOutcome {
  const failed = outcome.outcome === 'retry' || outcome.outcome === 'unknown';
  return failed && run.isStopped ? LEASE_LOST : outcome;
}

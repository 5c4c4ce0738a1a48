import type { TypedRecord } from '@waybill/store';
import { type AttemptDeps, attempt, attemptTogether } from '../attempt/attempt.ts';
import type { AttemptEnd } from '../attempt/end.ts';
import type { Destinations } from '../flow/destinations.ts';
import { crashVerdict } from '../retry/crash-loop.ts';
import type { Clock } from './clock.ts';
import { type HeldRun, RELEASE } from './held-run.ts';
import type { TraceAttempt } from './observer.ts';
import type { Pace } from './pace.ts';
import type { RunBuffer } from './run-buffer.ts';
import type { Settler } from './settler.ts';

export interface WorkerDeps {
  readonly buffer: RunBuffer;
  readonly settlerOf: (run: HeldRun) => Settler;
  readonly attempt: AttemptDeps;
  readonly trace: TraceAttempt;
  readonly pace: Pace;
  readonly destinations: Destinations;
  /** Fires when no further record may be started. */
  readonly stopping: AbortSignal;
  /** A run was settled in the transaction of an attempt. `isOver`: nothing of it is left to this process. */
  readonly onSettled: (run: HeldRun, isOver: boolean) => void;
  readonly onAttempt: (record: TypedRecord, end: AttemptEnd, durationMs: number) => void;
  /** A record is dead because its process died too often while it was in hand alone. */
  readonly onCrashLoop: (record: TypedRecord) => void;
  /** An error of this program, not of a handler. */
  readonly onBug: (record: TypedRecord | undefined, error: unknown) => void;
  readonly clock: Clock;
}

/** A record that a bug of ours meets is met by the same bug again; a rest keeps that from being a tight loop. */
const BUG_PAUSE_MS = 30_000;

/** Takes run after run from the buffer until the buffer is closed. A run that blocks, blocks this worker only. */
export async function work(deps: WorkerDeps): Promise<void> {
  for (let run = await deps.buffer.take(); run !== null; run = await deps.buffer.take()) {
    const along = takeAlong(run, deps);
    await (along.length === 0 ? handleRun(run, deps) : Promise.all([run, ...along].map((one) => handleRun(one, deps))));
  }
}

/**
 * Where a target takes many messages at once, a worker brings it as many runs as that. Each goes its own way, with its own lease: the one that
 * blocks holds the worker, and none of the others.
 */
function takeAlong(run: HeldRun, { buffer, destinations }: WorkerDeps): readonly HeldRun[] {
  const [first] = run.records;
  const most = first === undefined ? 0 : destinations.atOnce(first.type) - run.records.length;
  if (first === undefined || most <= 0) return [];
  return buffer.takeAlong(
    ({ records: [head] }) => head !== undefined && destinations.areTogether(first.type, head.type),
    most,
  );
}

/** Handles the records of a run strictly one after the other, or as a target takes them, and none whose lease might run out under it. */
async function handleRun(run: HeldRun, deps: WorkerDeps): Promise<void> {
  const settler = deps.settlerOf(run);
  try {
    if (!settler.hasRoom) await settler.room();
    for (let at = 0; at < run.records.length; ) {
      const started = startable(run, at, deps);
      if (started.length === 0 || !(await handleTogether(started, run, deps))) return;
      at += started.length;
    }
  } catch (error) {
    deps.onBug(run.records[0], error);
    settler.finish(run, { then: 'release', delayMs: BUG_PAUSE_MS });
  }
}

/** The records of a run to start next; none where the run has ended, as it has where none may be started. */
function startable(run: HeldRun, at: number, deps: WorkerDeps): readonly TypedRecord[] {
  const isSafe = !deps.stopping.aborted && run.isSafe(deps.clock.now());
  const started = isSafe ? deps.destinations.startable(at === 0 ? run.records : run.records.slice(at), run) : [];
  const [first] = started;
  const verdict = first === undefined ? RELEASE : crashVerdict(first);
  if (verdict === null) return started;
  if (first !== undefined) deps.onCrashLoop(first);
  deps.settlerOf(run).finish(run, verdict);
  return [];
}

/** Tries records of a run together. Gives whether the next record of the run is to be handled. */
async function handleTogether(records: readonly TypedRecord[], run: HeldRun, deps: WorkerDeps): Promise<boolean> {
  const { destinations, clock } = deps;
  for (const { type } of records) destinations.started(type);
  const startedAt = clock.now();
  run.begin(records.map(({ position }) => position));
  let ends: readonly AttemptEnd[];
  try {
    ends = await tracedAttempts(records, run, deps);
  } finally {
    run.end();
  }
  const durationMs = clock.now() - startedAt;
  const shareMs = durationMs / records.length;
  for (const [index, record] of records.entries()) {
    const end = ends[index];
    if (end === undefined) throw new TypeError(`a try at ${records.length} records gave ${ends.length} ends`);
    destinations.ended(record, end.outcome, shareMs);
    deps.pace.record(shareMs, clock.now());
    deps.onAttempt(record, end, durationMs);
    // A drain that could not wait has given the run back meanwhile. And what comes after one that was not delivered was not sent.
    if (run.isFinished || !goesOn(record, run, end, deps)) return false;
  }
  return true;
}

/** Notes how an attempt ended. Gives whether the next record of the run is to be handled. */
function goesOn(record: TypedRecord, run: HeldRun, end: AttemptEnd, deps: WorkerDeps): boolean {
  if (end.settled) {
    const isOver = run.settled(end.settlement, end.result);
    deps.onSettled(run, isOver);
    return !isOver;
  }
  const settler = deps.settlerOf(run);
  if (!end.decision.delivered) {
    settler.finish(run, end.decision.next);
    return false;
  }
  run.deliver(record.position);
  if (record === run.records.at(-1)) settler.finish(run, RELEASE);
  else settler.progress(run);
  return true;
}

/** One try, and a trace for each record of it. */
function tracedAttempts(
  records: readonly TypedRecord[],
  run: HeldRun,
  deps: WorkerDeps,
): Promise<readonly AttemptEnd[]> {
  const [only, ...others] = records;
  if (only === undefined) return Promise.resolve([]);
  if (others.length === 0) return deps.trace(only, () => attempt(only, run, deps.attempt)).then(asList);
  let ends: Promise<readonly AttemptEnd[]> | null = null;
  const endOf = async (index: number): Promise<AttemptEnd> => {
    ends ??= attemptTogether(records, run, deps.attempt);
    const end = (await ends)[index];
    if (end === undefined) throw new TypeError(`a try at ${records.length} records gave ${index} ends`);
    return end;
  };
  return Promise.all(records.map((record, index) => deps.trace(record, () => endOf(index))));
}

const asList = (end: AttemptEnd): readonly AttemptEnd[] => [end];

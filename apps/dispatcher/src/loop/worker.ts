import type { TypedRecord } from '@waybill/store';
import { type AttemptDeps, type AttemptEnd, attempt } from '../attempt/attempt.ts';
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
    try {
      await handleRun(run, deps);
    } catch (error) {
      deps.onBug(run.records[0], error);
      deps.settlerOf(run).finish(run, { then: 'release', delayMs: BUG_PAUSE_MS });
    }
  }
}

/** Handles the records of a run strictly one after the other, and none whose lease might run out under it. */
async function handleRun(run: HeldRun, deps: WorkerDeps): Promise<void> {
  const settler = deps.settlerOf(run);
  await settler.room();
  for (const record of run.records) {
    const { destinations } = deps;
    if (deps.stopping.aborted || !run.isSafe(deps.clock.now()) || !destinations.mayStart(record.type, run)) {
      settler.finish(run, RELEASE);
      return;
    }
    const verdict = crashVerdict(record);
    if (verdict !== null) {
      deps.onCrashLoop(record);
      settler.finish(run, verdict);
      return;
    }
    destinations.started(record.type);
    const startedAt = deps.clock.now();
    const end = await run.handle(record.position, () => deps.trace(record, () => attempt(record, run, deps.attempt)));
    const durationMs = deps.clock.now() - startedAt;
    destinations.ended(record.type, record.id, end.outcome);
    deps.pace.record(durationMs, deps.clock.now());
    deps.onAttempt(record, end, durationMs);
    // A drain that could not wait has given the run back meanwhile.
    if (run.isFinished) return;
    if (!goesOn(record, run, end, deps)) return;
  }
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

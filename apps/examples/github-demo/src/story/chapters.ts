import type { Arrival } from '../input/traffic.ts';
import { count } from '../report/figures.ts';
import { crashWhileLeasing } from './crash.ts';
import { eitherRelease, type Stage, untilDrained, writeTraffic } from './stage.ts';
import type { TrafficShares } from './traffic-share.ts';
import { until } from './until.ts';

/** The whole story, from the first message to the last settlement. */
export async function tellStory(stage: Stage, traffic: TrafficShares): Promise<void> {
  await sideBySide(stage, traffic.take(0.3));
  await crash(stage, traffic.take(0.2));
  await rollingDeploy(stage, traffic.take(0.15));
  await rollback(stage, traffic.take(0.2));
  await secondDeploy(stage, traffic.rest());
}

async function sideBySide(stage: Stage, arrivals: readonly Arrival[]): Promise<void> {
  stage.progress.chapter('1. An older and a newer build run side by side, with traffic of both versions');
  await Promise.all([stage.fleet.launch('older'), stage.fleet.launch('newer')]);
  await writeTraffic(stage, arrivals, eitherRelease(stage));
}

async function crash(stage: Stage, arrivals: readonly Arrival[]): Promise<void> {
  stage.progress.chapter('2. A dispatcher is killed while it holds leases, and started again');
  const writing = writeTraffic(stage, arrivals, eitherRelease(stage));
  const [victim] = stage.fleet.running('older');
  if (victim === undefined) throw new TypeError('an older build was launched in chapter 1');
  const [{ dispatcher, held }] = await Promise.all([crashWhileLeasing(stage, victim), writing]);
  stage.progress.note(`${dispatcher.name} was killed with ${count(held)} records under its lease`);
  const successor = await stage.fleet.launch('older');
  stage.progress.note(`${successor.name} took its place`);
}

async function rollingDeploy(stage: Stage, arrivals: readonly Arrival[]): Promise<void> {
  stage.progress.chapter('3. Rolling deploy: the older build is drained, a newer one comes in its place');
  await Promise.all([writeTraffic(stage, arrivals, eitherRelease(stage)), replaceOlder(stage)]);
  await untilDrained(stage);
}

async function replaceOlder(stage: Stage): Promise<void> {
  const successor = await stage.fleet.launch('newer');
  await stage.fleet.retire(stage.fleet.running('older'));
  stage.progress.note(`${successor.name} is there, the older build has left with nothing in its hands`);
}

async function rollback(stage: Stage, arrivals: readonly Arrival[]): Promise<void> {
  stage.progress.chapter('4. Rollback: only the older build lives, while the tracker goes on writing version 2');
  await stage.fleet.launch('older');
  await stage.fleet.retire(stage.fleet.running('newer'));
  // The services are not rolled back at once: the tracker writes version 2, the code host version 1 again.
  await writeTraffic(stage, arrivals, ({ webhook }) =>
    webhook.event === 'issues' || webhook.event === 'pull_request' ? 2 : 1,
  );
  await until('version 1 flows past what waits', async () => (await recordsLeft(stage, 1)) === 0, stage.signal);
  const waiting = await untilAllWait(stage);
  stage.tally.noteWaiting(waiting);
  stage.progress.note(
    `${count(waiting.length)} records of version 2 wait for a reader; all of version 1 went past them`,
  );
}

async function secondDeploy(stage: Stage, arrivals: readonly Arrival[]): Promise<void> {
  stage.progress.chapter('5. The newer build is deployed again and takes what has waited');
  await Promise.all([stage.fleet.launch('newer'), stage.fleet.launch('newer')]);
  await Promise.all([
    writeTraffic(stage, arrivals, eitherRelease(stage)),
    stage.fleet.retire(stage.fleet.running('older')),
  ]);
  await untilDrained(stage);
  await stage.fleet.retire(stage.fleet.running());
}

/**
 * Waits until every record of version 2 is seen to wait for a reader. A dispatcher that vanished without a farewell counts as a reader
 * for half a minute, since it may only be slow.
 */
async function untilAllWait(stage: Stage): Promise<readonly string[]> {
  let waiting: readonly string[] = [];
  const allWait = async (): Promise<boolean> => {
    waiting = await stage.observer.waitingForReader();
    return waiting.length === (await recordsLeft(stage, 2));
  };
  await until('version 2 waits for a reader', allWait, stage.signal);
  return waiting;
}

async function recordsLeft(stage: Stage, version: number): Promise<number> {
  const backlog = await stage.observer.backlog();
  return backlog.find((part) => part.version === version)?.records ?? 0;
}

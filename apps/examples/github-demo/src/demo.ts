import { stageDatabase } from './database/stage-database.ts';
import { seededRandom } from './input/random.ts';
import { planTraffic } from './input/traffic.ts';
import { realWebhooks } from './input/webhooks.ts';
import { gatherEvidence, shownOnBoard } from './ledger/evidence.ts';
import { reconcile } from './ledger/reconcile.ts';
import type { Figures } from './report/figures.ts';
import type { Progress } from './report/progress.ts';
import type { Findings } from './report/result.ts';
import { showWhile } from './report/ticker.ts';
import type { Settings } from './settings.ts';
import { tellStory } from './story/chapters.ts';
import type { Cleanup } from './story/cleanup.ts';
import { openStage, type SetStage, type StageOptions } from './story/open-stage.ts';
import { dealOut } from './story/traffic-share.ts';

export interface Demo extends Omit<StageOptions, 'databaseUrl' | 'random'> {
  readonly settings: Settings;
  readonly progress: Progress;
  readonly cleanup: Cleanup;
  /** A clock that only goes forward, in milliseconds. */
  readonly now: () => number;
}

/** Tells the story once and compares what was committed with what arrived. Everything that it opens is left to `cleanup`. */
export async function runDemo(demo: Demo): Promise<Findings> {
  const { settings, progress, cleanup, now } = demo;
  const startedMs = now();
  progress.note(settings.databaseUrl === undefined ? 'starting PostgreSQL' : 'making a database of our own');
  const databaseUrl = await stageDatabase(settings.databaseUrl, cleanup);
  const stage = await openStage({ ...demo, databaseUrl, random: seededRandom(settings.seed + 1) });
  const traffic = dealOut(planTraffic(realWebhooks(), settings.rounds, seededRandom(settings.seed)));
  await showWhile(progress, () => figuresOf(stage), tellStory(stage, traffic));
  return findingsOf(stage, now() - startedMs);
}

async function figuresOf(stage: SetStage): Promise<Figures> {
  return {
    committed: stage.tally.committed(),
    delivered: stage.receiver.distinct() + (await shownOnBoard(stage.pool)),
    dispatchers: stage.fleet.running().map(({ name, state }) => (state() === 'draining' ? `${name} (draining)` : name)),
  };
}

async function findingsOf(stage: SetStage, ms: number): Promise<Findings> {
  const evidence = await gatherEvidence(stage.pool, stage.receiver, stage.observer);
  return {
    reconciliation: reconcile(evidence),
    rolledBack: stage.tally.rolledBack(),
    deadLetters: evidence.deadLetters.length,
    claims: await stage.observer.claims(),
    waitedForReader: stage.tally.waitedForReader(),
    forged: stage.receiver.forged(),
    hiccups: stage.receiver.hiccups(),
    recordKeys: new Set(evidence.committed.map(({ recordKey }) => recordKey)).size,
    ms,
  };
}

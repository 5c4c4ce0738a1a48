import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { testDatabase } from '@waybill/local-postgres/vitest';
import { describe, expect, test } from 'vitest';
import { randomInteger, seededRandom } from '../input/random.ts';
import { planTraffic } from '../input/traffic.ts';
import { realWebhooks } from '../input/webhooks.ts';
import { gatherEvidence } from '../ledger/evidence.ts';
import { reconcile } from '../ledger/reconcile.ts';
import type { Progress } from '../report/progress.ts';
import { createCleanup } from './cleanup.ts';
import { openStage } from './open-stage.ts';
import { eitherRelease, type Stage, untilDrained, writeTraffic } from './stage.ts';

const silent: Progress = {
  chapter: () => undefined,
  note: () => undefined,
  figures: () => undefined,
  close: () => undefined,
};

/** The kills fall anywhere into the first seconds, when services write and dispatchers deliver. */
const LATEST_KILL_MS = 1_500;

/** Kills a dispatcher of the fleet at a moment of chance, and starts one of the same build in its place. */
async function killOne(stage: Stage, random: () => number): Promise<void> {
  await delay(random() * LATEST_KILL_MS);
  const running = stage.fleet.running();
  const victim = running[randomInteger(random, running.length)];
  if (victim === undefined) throw new TypeError('two dispatchers were launched, and the dead are replaced');
  await victim.crash();
  await stage.fleet.launch(victim.build);
}

describe('I01, I03, W15: any dispatcher may die at any time', () => {
  test.each([11, 12])('seed %i: three deaths lose nothing and bring nothing out of order', async (seed) => {
    await using database = await testDatabase({ empty: true });
    const random = seededRandom(seed);
    const cleanup = createCleanup();
    const failure = new AbortController();
    const logDirectory = await mkdtemp(join(tmpdir(), 'waybill-kill-'));
    cleanup.defer('remove the logs', () => rm(logDirectory, { recursive: true, force: true }));
    try {
      const stage = await openStage({
        databaseUrl: database.url,
        random,
        progress: silent,
        cleanup,
        logDirectory,
        environment: process.env,
        onFailure: (error) => {
          failure.abort(error);
        },
        signal: failure.signal,
        allowedUntil: new Date(Date.now() + 3_600_000),
      });
      await Promise.all([stage.fleet.launch('older'), stage.fleet.launch('newer')]);
      const writing = writeTraffic(stage, planTraffic(realWebhooks(), 3, random), eitherRelease(stage));
      for (let death = 1; death <= 3; death += 1) await killOne(stage, random);
      await writing;
      await untilDrained(stage);

      const { lost, outOfOrder, phantoms, enqueued, delivered } = reconcile(
        await gatherEvidence(stage.pool, stage.receiver, stage.observer),
      );
      expect({ lost, outOfOrder, phantoms }).toEqual({ lost: [], outOfOrder: [], phantoms: [] });
      expect(delivered).toBe(enqueued);
      expect((await stage.observer.claims()).unreadable).toBe(0);
    } finally {
      expect(await cleanup.run()).toEqual([]);
    }
  });
});

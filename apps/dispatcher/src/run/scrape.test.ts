import { testDatabase } from '@waybill/local-postgres/vitest';
import { startTcpProxy } from '@waybill/testkit';
import { describe, expect, test } from 'vitest';
import { send } from '../../test/database.ts';
import { NotifyOwner } from '../../test/parcels.ts';
import { RunningDispatcher } from '../../test/running-dispatcher.ts';

const SOON = { timeout: 60_000, interval: 100 };
/** Read from the store, and by one dispatcher for all. */
const SAMPLED = /^waybill_message_pending\{/m;

/** What an operator's tools see of a process. */
async function scrape(url: string): Promise<{ readonly live: number; readonly ready: number; readonly page: string }> {
  const [live, ready, metrics] = await Promise.all(
    ['livez', 'readyz', 'metrics'].map((path) => fetch(`${url}/${path}`)),
  );
  return { live: live?.status ?? 0, ready: ready?.status ?? 0, page: (await metrics?.text()) ?? '' };
}

describe('the probes and metrics of running processes', { timeout: 120_000 }, () => {
  test('W21 W24 W27: counts what was delivered; one of two samples the store; in an outage it lives, is not ready, and shows nothing old', async () => {
    await using database = await testDatabase();
    const direct = new URL(database.url);
    const proxy = await startTcpProxy(Number(direct.port));
    direct.port = String(proxy.port);
    const environment = {
      WAYBILL_DATABASE_URL: direct.href,
      WAYBILL_DATABASE_CONNECT_TIMEOUT_MS: '500',
      WAYBILL_DATABASE_STATEMENT_TIMEOUT_MS: '2000',
      WAYBILL_METRICS_SAMPLE_EVERY_MS: '1000',
      WAYBILL_HEALTH_STALE_AFTER_MS: '2000',
    };
    await using first = new RunningDispatcher('trouble.config.mjs', environment);
    const firstUrl = await first.healthUrl();
    await expect.poll(async () => (await scrape(firstUrl)).page, SOON).toMatch(SAMPLED);
    await using second = new RunningDispatcher('trouble.config.mjs', environment);
    const secondUrl = await second.healthUrl();
    await expect.poll(async () => (await scrape(secondUrl)).ready, SOON).toBe(200);

    await send(database.url, NotifyOwner, { owner: 'o', text: 'calm' });
    const accepted =
      /^waybill_delivery_attempts_total\{[^}]*parcels\.notify-owner[^}]*result="accepted"[^}]*\} (\d+)$/m;
    const both = async () => Promise.all([scrape(firstUrl), scrape(secondUrl)]);
    await expect
      .poll(async () => (await both()).reduce((sum, { page }) => sum + Number(accepted.exec(page)?.[1]), 0), SOON)
      .toBe(1);
    // A process that gets no time for a while is not ready for a moment.
    await expect
      .poll(
        async () =>
          (await both()).map(({ live, ready, page }) => [
            live,
            ready,
            /^waybill_store_up 1$/m.test(page),
            SAMPLED.test(page),
          ]),
        SOON,
      )
      .toEqual([
        [200, 200, true, true],
        [200, 200, true, false],
      ]);

    await proxy.become('down');
    await expect.poll(async () => (await scrape(firstUrl)).ready, SOON).toBe(503);
    await expect.poll(async () => SAMPLED.test((await scrape(firstUrl)).page), SOON).toBe(false);
    const cut = await scrape(firstUrl);
    expect([cut.live, /^waybill_store_up 0$/m.test(cut.page), accepted.test(cut.page)]).toEqual([200, true, true]);

    await proxy.become('pass');
    await expect.poll(async () => (await both()).map(({ ready }) => ready), SOON).toEqual([200, 200]);
    const sampling = async (): Promise<number> => (await both()).filter(({ page }) => SAMPLED.test(page)).length;
    await expect.poll(sampling, SOON).toBe(1);
    // Whoever samples leaves; the other one takes over.
    const isFirst = SAMPLED.test((await scrape(firstUrl)).page);
    const [leaving, stayingUrl] = isFirst ? [first, secondUrl] : [second, firstUrl];
    leaving.signal('SIGTERM');
    expect(await leaving.exitCode()).toBe(0);
    await expect.poll(async () => SAMPLED.test((await scrape(stayingUrl)).page), SOON).toBe(true);
    await proxy.stop();
  });
});

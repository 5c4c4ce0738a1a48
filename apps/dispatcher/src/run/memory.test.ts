import { testDatabase } from '@waybill/local-postgres/vitest';
import { expect, test } from 'vitest';
import { rows, withClient } from '../../test/database.ts';
import { MoveParcel } from '../../test/parcels.ts';
import { RunningDispatcher } from '../../test/running-dispatcher.ts';

/** A million for the figures of docs/development.md; few enough here to be over in seconds. */
const MESSAGES = Number(process.env['WAYBILL_MEMORY_MESSAGES'] ?? 20_000);
const LOOKS = 10;
const BATCH = 1_000;
/** What is compiled, cached and pooled while it warms up is over by the third look. What may grow since then, however many messages there are. */
const WARM_LOOK = 2;
const MAX_GROWTH_BYTES = 5_000_000;

const OVERRIDE = `insert into waybill.gate_override (gate, actor, reason, until)
  values ('pull-worker', 'test', 'memory of pull workers', clock_timestamp() + interval '1 day')`;

/** One transaction of messages, each with a key of its own. */
async function enqueueFrom(url: string, first: number): Promise<void> {
  await withClient(url, async (client) => {
    const message = { type: MoveParcel.type, version: 2, kind: MoveParcel.kind };
    const entries = Array.from({ length: BATCH }, (_, n) => ({
      ...message,
      record_key: `Parcel/${String(first + n)}`,
      payload: { parcel: String(first + n), step: first + n, depot: 'd' },
    }));
    await client.query('select from waybill.enqueue($1::text::json)', [JSON.stringify(entries)]);
  });
}

test(
  'F084: the heap stays flat over many messages and keys, retries among them, and no timer is left behind',
  async () => {
    await using database = await testDatabase();
    // Pull workers, whatever the evidence of this checkout says: they are what runs for months.
    await rows(database.url, OVERRIDE);
    await using dispatcher = new RunningDispatcher('memory.config.ts', {
      WAYBILL_DATABASE_URL: database.url,
      MEMORY_LOOK_EVERY: String(MESSAGES / LOOKS),
    });
    // The dispatcher names its contracts first; until then nobody could be known to read them.
    await dispatcher.line(({ msg, mode }) => msg === 'draining begins' && mode === 'pull');
    for (let first = 0; first < MESSAGES; first += BATCH) await enqueueFrom(database.url, first);
    await dispatcher.line(({ msg, handled }) => msg === 'memory' && handled === MESSAGES);

    const looks = dispatcher.lines.filter(({ msg }) => msg === 'memory');
    const figures = looks.map(({ handled, heapUsed, rss, timers }) => ({ handled, heapUsed, rss, timers }));
    process.stdout.write(`${figures.map((figure) => JSON.stringify(figure)).join('\n')}\n`);
    const heap = looks.map(({ heapUsed }) => Number(heapUsed)).slice(WARM_LOOK);
    expect(Math.max(...heap) - (heap[0] ?? 0)).toBeLessThan(MAX_GROWTH_BYTES);
    const timers = looks.map(({ timers }) => Number(timers));
    expect(Math.max(...timers)).toBeLessThan(50);
    expect(dispatcher.stderr).not.toContain('MaxListenersExceededWarning');
    dispatcher.signal('SIGTERM');
    expect(await dispatcher.exitCode()).toBe(0);
  },
  Math.max(120_000, MESSAGES * 10),
);

import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from './clock.ts';
import { guardedRandom } from './guarded-random.ts';
import { IncidentLog } from './incident-log.ts';
import { loopLogger } from './loop-logger.ts';
import { NO_OBSERVER } from './observer.ts';
import { StoreHealth } from './store-health.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

function logged() {
  const lines: string[] = [];
  const logger = loopLogger(pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) }));
  return { lines, logger };
}

describe('F027: an outage in the log', () => {
  test('F027: the first failure, a reminder a minute and the end; not one line for each failure', () => {
    const { lines, logger } = logged();
    const incident = new IncidentLog('trouble', logger, systemClock);
    for (let second = 0; second < 150; second += 1) {
      incident.failed('claim', new Error('refused'));
      vi.advanceTimersByTime(1_000);
    }
    incident.recovered();
    incident.recovered();
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 40, msg: 'trouble', operation: 'claim', error: 'Error: refused' },
      { level: 40, msg: 'trouble, still', failures: 61, sinceMs: 60_000 },
      { level: 40, msg: 'trouble, still', failures: 121 },
      { level: 30, msg: 'trouble: over', failures: 150, sinceMs: 150_000 },
    ]);
  });

  test('W22: the rest between two tries grows up to five seconds, and starts anew after an answer', () => {
    const health = new StoreHealth(logged().logger, {
      clock: systemClock,
      random: () => 0.999_999,
      observer: NO_OBSERVER,
    });
    const rests = Array.from({ length: 8 }, () => health.restMs());
    expect(rests).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000]);
    health.works();
    expect(health.restMs()).toBe(250);
  });

  test('W21: the store is up once it has answered, and down from a failure to the next answer to a claim', () => {
    const health = new StoreHealth(logged().logger, { clock: systemClock, random: Math.random, observer: NO_OBSERVER });
    expect([health.isUp, health.answeredAt]).toEqual([false, null]);
    health.works();
    expect(health.isUp).toBe(true);
    health.failed('settle', new Error('gone'));
    expect(health.isUp).toBe(false);
    health.answered();
    expect(health.isUp).toBe(false);
    health.works();
    expect(health.isUp).toBe(true);
  });
});

describe('F017: what the host gives cannot end the loop', () => {
  test('F017: a logger that throws costs a line', () => {
    const broken = pino(
      { base: null },
      {
        write: () => {
          throw new Error('disk full');
        },
      },
    );
    expect(() => loopLogger(broken).info({}, 'hello')).not.toThrow();
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['gives NaN', () => Number.NaN],
    ['gives 1', () => 1],
    ['gives -1', () => -1],
  ])('F017: a source of randomness that %s still gives a number in range', (_name, random: () => number) => {
    expect(guardedRandom(random)()).toBe(0.5);
  });
});

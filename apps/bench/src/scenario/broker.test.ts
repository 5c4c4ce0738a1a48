import { withProgram } from '@waybill/local-servers';
import { expect, test } from 'vitest';
import { PATIENCE_MS, runTiny, tinyBench } from '../../test/tiny-bench.ts';
import type { ScenarioName } from './scenario.ts';

/** RabbitMQ takes minutes to boot on a busy machine. */
const BOOT_MS = 300_000;

async function expectAllAcknowledged(name: ScenarioName): Promise<void> {
  const { measures, faults } = await runTiny(name);
  expect(faults).toEqual([]);
  const [{ value, peers, target }] = measures;
  for (const rate of [value, ...Object.values(peers)]) expect(rate).toBeGreaterThan(0);
  expect(Object.keys(peers)).toEqual(['client, in-order', 'client, pipelined']);
  expect(target).toEqual({ atLeast: 0.5 });
}

const TITLE = 'T01: every committed message reaches the broker, in order, beside the client alone';

withProgram({ test }, 'nats-server', process.env, () => {
  test(`${TITLE} (nats-jetstream)`, () => expectAllAcknowledged('nats-jetstream'), PATIENCE_MS);
});
withProgram({ test }, 'redis-server', process.env, () => {
  test(`${TITLE} (redis-streams)`, () => expectAllAcknowledged('redis-streams'), PATIENCE_MS);
});
withProgram({ test }, 'rabbitmq-server', process.env, () => {
  test(`${TITLE} (rabbitmq)`, () => expectAllAcknowledged('rabbitmq'), PATIENCE_MS + BOOT_MS);
});
test(`${TITLE} (kafka)`, () => expectAllAcknowledged('kafka'), PATIENCE_MS);

test(
  'T01: a broker that is not installed is skipped, and the result says so',
  async () => {
    const { measures, faults } = await runTiny('nats-jetstream', { ...tinyBench(), searchPath: '/nowhere' });
    // The usual directories of servers are looked at as well, so that it may be there all the same.
    if (measures[0].target === null) expect(measures[0].label).toBe('skipped: nats-server is not installed');
    expect(faults).toEqual([]);
  },
  PATIENCE_MS,
);

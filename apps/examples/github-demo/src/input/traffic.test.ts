import { describe, expect, test } from 'vitest';
import { seededRandom } from './random.ts';
import { type Arrival, planTraffic } from './traffic.ts';
import { realWebhooks, type Webhook } from './webhooks.ts';

function entityOf(webhook: Webhook): string {
  switch (webhook.event) {
    case 'issues':
      return `Issue/${webhook.body.issue.id}`;
    case 'pull_request':
      return `PullRequest/${webhook.body.pull_request.id}`;
    case 'push':
      return `Repository/${webhook.body.repository.id}`;
    case 'release':
      return `Release/${webhook.body.release.id}`;
  }
}

const webhooks = realWebhooks();
const plan = (rounds: number, seed = 1): readonly Arrival[] => planTraffic(webhooks, rounds, seededRandom(seed));

describe('D06: the traffic of the demo', () => {
  test('is made of every real payload of the chosen events, used once a round', () => {
    expect(webhooks).toHaveLength(130);
    expect(plan(3)).toHaveLength(390);
  });

  test('is about at least 200 record keys, several messages each', () => {
    const keys = plan(24).map(({ webhook }) => entityOf(webhook));
    expect(keys.length).toBeGreaterThanOrEqual(3_000);
    expect(new Set(keys).size).toBeGreaterThanOrEqual(200);
    expect(keys.length / new Set(keys).size).toBeGreaterThan(5);
  });

  test('rolls about one transaction in twenty back', () => {
    const arrivals = plan(24);
    const share = arrivals.filter(({ rollsBack }) => rollsBack).length / arrivals.length;
    expect(share).toBeGreaterThan(0.03);
    expect(share).toBeLessThan(0.07);
  });

  test('is the same for the same seed, and another for another', () => {
    expect(plan(2)).toEqual(plan(2));
    expect(plan(2, 2)).not.toEqual(plan(2));
  });
});

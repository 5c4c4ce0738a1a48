import { type Random, randomInteger, shuffled } from './random.ts';
import { aboutEntity, type Webhook, type WebhookEvent } from './webhooks.ts';

/** A webhook that one of the services is going to handle. */
export interface Arrival {
  readonly webhook: Webhook;
  /** This transaction is rolled back at its very end, on purpose. */
  readonly rollsBack: boolean;
}

/** How many issues, pull requests, repositories and releases there are: 310 record keys, about ten messages each. */
const ENTITIES: Readonly<Record<WebhookEvent, number>> = { issues: 120, pull_request: 110, push: 35, release: 45 };

/** Fresh ids begin above every id of the examples. */
const FIRST_ID = 4_000_000_000;

/** One transaction in twenty changes its mind. */
const ROLLBACK_SHARE = 0.05;

/**
 * Uses every webhook `rounds` times, each time about an entity that is drawn from a fixed population, in a new order each round.
 * So every key gets several messages, spread over the whole story, and the same seed gives the same traffic.
 */
export function planTraffic(webhooks: readonly Webhook[], rounds: number, random: Random): readonly Arrival[] {
  return Array.from({ length: rounds }, () => shuffled(random, webhooks))
    .flat()
    .map((webhook) => ({
      webhook: aboutEntity(webhook, FIRST_ID + randomInteger(random, ENTITIES[webhook.event])),
      rollsBack: random() < ROLLBACK_SHARE,
    }));
}

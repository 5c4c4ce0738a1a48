import { type Random, randomInteger, shuffled } from './random.ts';
import { aboutEntity, type Webhook } from './webhooks.ts';

/** A webhook that one of the services is going to handle. */
export interface Arrival {
  readonly webhook: Webhook;
  /** This transaction is rolled back at its very end, on purpose. */
  readonly rollsBack: boolean;
}

/** So many webhooks are about the same issue, pull request, repository or release, on average. */
const WEBHOOKS_PER_ENTITY = 10;

/** Fresh ids begin above every id of the examples. */
const FIRST_ID = 4_000_000_000;

/** One transaction in twenty changes its mind. */
const ROLLBACK_SHARE = 0.05;

/**
 * Uses every webhook `rounds` times, in a new order each round, each time about an entity that is drawn from a fixed population.
 * So every key gets several messages, spread over the whole story, and the same seed gives the same traffic.
 */
export function planTraffic(webhooks: readonly Webhook[], rounds: number, random: Random): readonly Arrival[] {
  const entitiesOf = ({ event }: Webhook): number => {
    const alike = webhooks.filter((webhook) => webhook.event === event).length;
    return Math.ceil((alike * rounds) / WEBHOOKS_PER_ENTITY);
  };
  const populated = webhooks.map((webhook) => ({ webhook, entities: entitiesOf(webhook) }));
  return Array.from({ length: rounds }, () => shuffled(random, populated))
    .flat()
    .map(({ webhook, entities }) => ({
      webhook: aboutEntity(webhook, FIRST_ID + randomInteger(random, entities)),
      rollsBack: random() < ROLLBACK_SHARE,
    }));
}

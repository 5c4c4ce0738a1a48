import assert from 'node:assert/strict';
import { type TestMessage, testMessage } from '../test-message.ts';
import { heldOf, publish, withTransport } from './sending.ts';
import { offered, type SuiteCase } from './suite-case.ts';
import type { TransportUnderTest } from './target.ts';

const KEYS = 4;
const MESSAGES = 40;
const PATIENCE_MS = 60_000;

/** That a batch which is cut in two neither loses, repeats nor reorders what its outcomes say. */
export const OUTAGE_CASE: SuiteCase = {
  title:
    'T01, T04: a target that goes away in the middle of a batch keeps a beginning of each key, and the rest follows in order',
  async run(context) {
    const { target } = context;
    const slow = offered(target.slow, context);
    const down = offered(target.faults.down, context);
    await withTransport(target, async (transport) => {
      await publish(transport, testMessage());
      const batch = Array.from({ length: MESSAGES }, (_, index) => testMessage({ recordKey: `Order/${index % KEYS}` }));
      await slow(); // so that there is a middle
      const publishing = publish(transport, ...batch);
      await until(async () => (await heldOf(target, batch)).length > KEYS / 2);
      const heal = await down();
      const outcomes = await publishing;
      const atOutage = await heldOf(target, batch);
      assert.equal(new Set(atOutage).size, atOutage.length, 'a message was sent twice');
      await heal();

      for (const key of keysOf(batch)) {
        const ofKey = batch.flatMap((message, index) =>
          message.recordKey === key ? { id: message.id, outcome: outcomes[index] } : [],
        );
        const arrived = ofKey.map(({ id }) => id).filter((id) => atOutage.includes(id));
        const accepted = ofKey.filter(({ outcome }) => outcome?.outcome === 'accepted').length;
        const shown = `${key}: ${arrived.length} arrived, ${JSON.stringify(ofKey)}`;
        assert.deepEqual(
          arrived,
          ofKey.slice(0, arrived.length).map(({ id }) => id),
          shown,
        );
        assert.ok(
          ofKey.slice(0, accepted).every(({ outcome }) => outcome?.outcome === 'accepted'),
          shown,
        );
        if (target.runsGoAsOne) continue;
        // One may have arrived without an answer; those behind it were never sent.
        assert.ok(arrived.length <= accepted + 1, shown);
        const behind = ofKey.slice(accepted + 1).map(({ outcome }) => outcome);
        assert.ok(
          behind.every((outcome) => outcome?.outcome === 'retry' && outcome.class === 'not-sent'),
          shown,
        );
      }
      const rest = batch.filter((_, index) => outcomes[index]?.outcome !== 'accepted');
      await until(() => publishRest(transport, rest));
      const held = await heldOf(target, batch);
      const first = [...new Set(held)];
      for (const key of keysOf(batch)) {
        const ids = batch.filter(({ recordKey }) => recordKey === key).map(({ id }) => id);
        assert.deepEqual(
          first.filter((id) => ids.includes(id)),
          ids,
          key,
        );
      }
    });
  },
};

function keysOf(batch: readonly TestMessage[]): ReadonlySet<string> {
  return new Set(batch.map(({ recordKey }) => recordKey));
}

/** Publishes once more what was not accepted yet, and drops from the list what is now. */
async function publishRest(transport: TransportUnderTest, rest: TestMessage[]): Promise<boolean> {
  const outcomes = await publish(transport, ...rest);
  const left = rest.filter((_, index) => outcomes[index]?.outcome !== 'accepted');
  rest.splice(0, rest.length, ...left);
  return rest.length === 0;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    assert.ok(performance.now() < giveUpAt, 'it did not come about');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

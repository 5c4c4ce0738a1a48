import type { GateOverride, PullGateFacts } from '@waybill/store';
import { type Consumer, isUnproven } from './consumers.ts';
import type { Evidence } from './evidence.ts';
import {
  CODE_ITEMS,
  type CodeItem,
  type ConfigurationItem,
  type DataItem,
  ITEM_IDS,
  type ItemId,
  titleOf,
} from './items.ts';

export interface GateFacts {
  /** Null: the build ships none. */
  readonly evidence: Evidence | null;
  readonly consumers: readonly Consumer[];
  /** Null: the store could not be asked. */
  readonly store: PullGateFacts | null;
}

/** `unknown`: nobody could look. */
export type ItemState = 'green' | 'red' | 'unknown';

export interface ItemResult {
  readonly id: ItemId;
  readonly title: string;
  readonly state: ItemState;
  /** Why it is not green; null when it is. */
  readonly why: string | null;
}

export interface PullGate {
  readonly verdict: 'safe' | 'unsafe' | 'unknown';
  readonly items: readonly ItemResult[];
  /** Types that pull workers do not ask for. */
  readonly scopedOut: readonly Consumer[];
  readonly override: GateOverride | null;
}

/** Judges whether pull workers may run. Pure. */
export function evaluateGate(facts: GateFacts): PullGate {
  const items = ITEM_IDS.map((id): ItemResult => {
    const why = isCode(id)
      ? whyCode(id, facts.evidence)
      : isConfiguration(id)
        ? whyConfiguration(id, facts)
        : whyData(id, facts.store);
    const state = why === null ? 'green' : why === NOT_ASKED ? 'unknown' : 'red';
    return { id, title: titleOf(id), state, why };
  });
  const override = facts.store?.override ?? null;
  const red = items.some(({ state }) => state === 'red');
  const unknown = items.some(({ state }) => state === 'unknown');
  return {
    verdict: red && override === null ? 'unsafe' : unknown ? 'unknown' : 'safe',
    items,
    scopedOut: facts.consumers.filter(({ scopedOut }) => scopedOut !== null),
    override,
  };
}

const NOT_ASKED = 'the store could not be asked';

function isCode(id: ItemId): id is CodeItem {
  return id in CODE_ITEMS;
}

function isConfiguration(id: ItemId): id is ConfigurationItem {
  return id === 'G5.1' || id === 'G5.2';
}

function whyCode(id: CodeItem, evidence: Evidence | null): string | null {
  if (evidence === null) return 'the build ships no evidence';
  const missing = CODE_ITEMS[id].ids.filter((requirement) => !((evidence.ids[requirement] ?? 0) > 0));
  return missing.length === 0 ? null : `no passing test in the evidence for ${missing.join(', ')}`;
}

function whyConfiguration(id: ConfigurationItem, { consumers, store }: GateFacts): string | null {
  if (id === 'G5.1') {
    const unproven = consumers.filter((consumer) => isUnproven(consumer) && consumer.scopedOut === null);
    if (unproven.length === 0) return null;
    return unproven
      .map(({ type, effect }) => `${type} (${effect}): neither an idempotency contract nor scoped out`)
      .join('; ');
  }
  if (store === null) return NOT_ASKED;
  const over = consumers.filter(({ scopedOut }) => scopedOut !== null && new Date(scopedOut.until) <= store.checkedAt);
  return over.length === 0
    ? null
    : over.map(({ type, scopedOut }) => `${type}: scoped out until ${String(scopedOut?.until)}`).join('; ');
}

const DATA_RULES: Readonly<Record<DataItem, (facts: PullGateFacts) => string | null>> = {
  'G2.1': ({ generation }) => (generation === 2 ? null : `the tables are of generation ${generation}`),
  'G2.2': ({ keylessLive }) =>
    keylessLive === 0 ? null : `${keylessLive} messages on their way have no key; run the backfill`,
  'G2.3': ({ writersBehind }) => (writersBehind.length === 0 ? null : writersBehind.join('; ')),
  'G2.5': ({ stranded }) => (stranded === 0 ? null : `${stranded} records wait behind nobody`),
};

function whyData(id: DataItem, store: PullGateFacts | null): string | null {
  return store === null ? NOT_ASKED : DATA_RULES[id](store);
}

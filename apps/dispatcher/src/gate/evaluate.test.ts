import { describe, expect, test } from 'vitest';
import { MoveParcel, NotifyOwner, WeighParcel } from '../../test/parcels.ts';
import { call } from '../routes/call.ts';
import { handle } from '../routes/handle.ts';
import { drainModeOf } from './choose-mode.ts';
import { consumersOf } from './consumers.ts';
import { evaluateGate, type GateFacts } from './evaluate.ts';
import { parseEvidence } from './evidence.ts';
import { CODE_ITEMS, ITEM_IDS, PARTS } from './items.ts';

const NOW = new Date('2026-01-31T10:00:00Z');
const nothing = (): void => {};
const everything = Object.fromEntries(Object.values(CODE_ITEMS).flatMap(({ ids }) => ids.map((id) => [id, 1])));
const GREEN: GateFacts = {
  evidence: { build: 'b', date: 'd', ids: everything },
  consumers: consumersOf([call(NotifyOwner, nothing), handle(WeighParcel, nothing)]),
  store: { generation: 2, keylessLive: 0, writersBehind: [], stranded: 0, override: null, checkedAt: NOW },
};
const redOf = (facts: Partial<GateFacts>): readonly string[] =>
  evaluateGate({ ...GREEN, ...facts })
    .items.filter(({ state }) => state === 'red')
    .map(({ id }) => id);
const store = (facts: Partial<NonNullable<GateFacts['store']>>): Partial<GateFacts> => ({
  store: { generation: 2, keylessLive: 0, writersBehind: [], stranded: 0, override: null, checkedAt: NOW, ...facts },
});

describe('Q21: the gate of the pull workers', () => {
  test('Q21: is green when every item of the five parts is', () => {
    expect(evaluateGate(GREEN).verdict).toBe('safe');
    expect(new Set(ITEM_IDS.map((id) => id.slice(1, 2)))).toEqual(new Set(Object.keys(PARTS)));
  });

  test('Q21: without evidence, or with a requirement that no test shows, the items about code are red', () => {
    expect(redOf({ evidence: null })).toEqual(Object.keys(CODE_ITEMS).sort());
    expect(redOf({ evidence: { build: 'b', date: 'd', ids: { ...everything, Q23: 0 } } })).toEqual(['G1.3']);
    expect(parseEvidence('{"schema":"waybill.evidence/v2","ids":{}}')).toBeNull();
    expect(parseEvidence('no json')).toBeNull();
  });

  test.each([
    ['G2.1', { generation: 1 as const }],
    ['G2.2', { keylessLive: 3 }],
    ['G2.3', { writersBehind: ['orders@1 is running and knows generation 1 only'] }],
    ['G2.5', { stranded: 1 }],
  ])('Q21 Q08 Q09: %s is red by what the store says', (id, facts) => {
    expect(redOf(store(facts))).toEqual([id]);
  });

  test('Q18: an effect that nobody has classified is red until it is scoped out by name, reason and date', () => {
    const unproven = call(MoveParcel, nothing);
    expect(redOf({ consumers: consumersOf([unproven]) })).toEqual(['G5.1']);
    const scopedOut = { reason: 'the provider drops repeats from March on', by: 'anna', until: '2026-03-01T00:00:00Z' };
    const out = consumersOf([call(MoveParcel, nothing, { scopedOut })]);
    const gate = evaluateGate({ ...GREEN, consumers: out });
    expect([gate.verdict, gate.scopedOut.map(({ type }) => type)]).toEqual(['safe', [MoveParcel.type]]);
    expect(redOf({ consumers: out, ...store({ checkedAt: new Date('2026-03-01T00:00:00Z') }) })).toEqual(['G5.2']);
    const declared = call(MoveParcel, nothing, { idempotency: { class: 'deterministic-set' } });
    expect(redOf({ consumers: consumersOf([declared]) })).toEqual([]);
  });

  test('Q20: on does not overrule a red gate, an override that is in force does, and off never pulls', () => {
    const red = evaluateGate({ ...GREEN, evidence: null });
    expect([drainModeOf('auto', red), drainModeOf('on', red), drainModeOf('off', evaluateGate(GREEN))]).toEqual([
      'batch',
      'batch',
      'batch',
    ]);
    const override = { actor: 'anna', reason: 'r', until: '2026-02-01T00:00:00.000Z' };
    const overridden = evaluateGate({ ...GREEN, evidence: null, ...store({ override }) });
    expect([overridden.verdict, drainModeOf('auto', overridden)]).toEqual(['safe', 'pull']);
    expect(
      overridden.items.some(({ state }) => state === 'red'),
      'and hides nothing',
    ).toBe(true);
  });

  test('Q21: a store that cannot be asked is not green', () => {
    const gate = evaluateGate({ ...GREEN, store: null });
    expect([gate.verdict, drainModeOf('auto', gate)]).toEqual(['unknown', 'batch']);
  });
});

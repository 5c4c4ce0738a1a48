import { Type } from '@sinclair/typebox';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { type ChargeCard, delivery, OrderPlaced } from '../../test/orders.ts';
import { ContractError } from '../contract-error.ts';
import { defineMessage } from './define-message.ts';
import type { DeliverySpecification } from './delivery-specification.ts';
import type { PayloadOf, VersionedPayload } from './message.ts';

const V = Type.Object({ a: Type.String() });
const one = { type: 'a.b', kind: 'journey-step-command', recordKey: null, versions: { 1: V }, delivery } as const;

function problemsOf(define: () => unknown): readonly string[] {
  try {
    define();
  } catch (error) {
    if (error instanceof ContractError) return [error.code, ...error.problems];
    throw error;
  }
  return [];
}

describe('types', () => {
  test('payloads are inferred per version, the newest by default', () => {
    expectTypeOf<PayloadOf<typeof OrderPlaced>>().toEqualTypeOf<{
      id: string;
      buyer: { name: string };
      note?: string;
    }>();
    expectTypeOf<PayloadOf<typeof OrderPlaced, 1>>().toEqualTypeOf<{ id: number; buyer: string }>();
    expectTypeOf(OrderPlaced.newest).toEqualTypeOf<3>();
    expectTypeOf<PayloadOf<typeof ChargeCard>>().toEqualTypeOf<{ cents: number }>();
  });

  test('stored shapes are a union that is discriminated by version', () => {
    expectTypeOf<VersionedPayload<typeof OrderPlaced>['version']>().toEqualTypeOf<1 | 2 | 3>();
    expectTypeOf<Extract<VersionedPayload<typeof OrderPlaced>, { version: 1 }>['payload']>().toEqualTypeOf<{
      id: number;
      buyer: string;
    }>();
  });

  test('W25: every version can be handled apart, and none is forgotten, without a cast', () => {
    const buyer = (stored: VersionedPayload<typeof OrderPlaced>): string => {
      switch (stored.version) {
        case 1:
          return stored.payload.buyer;
        case 2:
        case 3:
          return stored.payload.buyer.name;
        default:
          return stored satisfies never;
      }
    };
    expect(buyer({ version: 1, payload: { id: 7, buyer: 'Ada' } })).toBe('Ada');
    expect(buyer({ version: 3, payload: { id: '7', buyer: { name: 'Ada' } } })).toBe('Ada');
  });

  test('upcasts are required from the second version on, and typed by their versions', () => {
    // @ts-expect-error no upcast to version 2
    const missing = () => defineMessage({ ...one, versions: { 1: V, 2: V } });
    const wrong = () =>
      defineMessage({
        ...one,
        versions: { 1: V, 2: Type.Object({ b: Type.Number() }) },
        // @ts-expect-error the result is not a version 2
        upcast: { 2: () => ({ b: 'text' }) },
      });
    expect(problemsOf(missing)).toContain('upcast: no function leads from version 1 to 2');
    expect(wrong).not.toThrow();
  });

  test('only an integration event cites an Event record', () => {
    // @ts-expect-error an integration event without its Event record
    expect(problemsOf(() => defineMessage({ ...one, kind: 'integration-event' }))).toContain(
      'event: an integration event names its Event record',
    );
    // @ts-expect-error a command with an Event record
    expect(problemsOf(() => defineMessage({ ...one, event: 'EVT-A' }))).toContain(
      'event: only an integration event cites an Event record, not a journey-step-command',
    );
  });
});

describe('delivery specification', () => {
  test('W01: every part is data that is checked when the message is defined', () => {
    const empty = {
      guarantee: 'at-least-once',
      boundary: '',
      duplicates: ' ',
      retryHorizon: '',
      recoveryOwner: '',
      recordOwner: '',
      status: 'accepted',
    } as const;
    expect(problemsOf(() => defineMessage({ ...one, delivery: empty }))).toEqual([
      'CTR_DEFINITION_INVALID',
      ...['boundary', 'duplicates', 'retryHorizon', 'recoveryOwner', 'recordOwner'].map(
        (key) => `delivery.${key}: say it in words; it must not be empty`,
      ),
    ]);
    expect(OrderPlaced.delivery).toEqual(delivery);
  });

  test('W01: a draft names who decides and by when', () => {
    const draft = (decider: string, decideBy: string): DeliverySpecification => ({
      ...delivery,
      status: 'draft',
      decider,
      decideBy,
    });
    expect(problemsOf(() => defineMessage({ ...one, delivery: draft('', '2030-02-30') }))).toEqual([
      'CTR_DEFINITION_INVALID',
      'delivery.decider: a draft names who decides',
      'delivery.decideBy: a draft names the date of the decision as YYYY-MM-DD',
    ]);
    expect(problemsOf(() => defineMessage({ ...one, delivery: draft('Ada', '2030-02-28') }))).toEqual([]);
    // @ts-expect-error a draft without a decider
    const unnamed: DeliverySpecification = { ...delivery, status: 'draft' };
    expect(problemsOf(() => defineMessage({ ...one, delivery: unnamed }))).toHaveLength(3);
  });

  test('W02: a best-effort reaction cannot be given an outbox, and is told where to go', () => {
    const [code, reason, instead] = problemsOf(() =>
      defineMessage({ ...one, delivery: { ...delivery, guarantee: 'best-effort' } }),
    );
    expect(code).toBe('CTR_BEST_EFFORT');
    expect(reason).toContain('deliveries that must happen');
    expect(instead).toContain('afterCommit');
  });
});

describe('names and steps', () => {
  test('W25: a type has a stable name and versions that are whole numbers from 1', () => {
    expect(problemsOf(() => defineMessage({ ...one, type: 'Not Stable' }))[1]).toContain(
      'type: "Not Stable" must match',
    );
    expect(problemsOf(() => defineMessage({ ...one, type: `a${'b'.repeat(128)}` }))).toContain(
      'type: must have at most 128 bytes',
    );
    expect(problemsOf(() => defineMessage({ ...one, versions: { 0: V } }))).toContain(
      'versions: "0" must be whole numbers from 1',
    );
    expect(problemsOf(() => defineMessage({ ...one, versions: {} }))).toContain(
      'versions: at least one version is required',
    );
  });

  test('V07: a gap in the versions, a missing upcast and a stray step are each named', () => {
    expect(problemsOf(() => defineMessage({ ...one, versions: { 1: V, 3: V } }))).toEqual([
      'CTR_DEFINITION_INVALID',
      'versions: version 2 is missing between 1 and 3',
      'upcast: no function leads from version 1 to 2',
      'upcast: no function leads from version 2 to 3',
    ]);
    const stray = { 7: (payload: unknown) => payload };
    expect(problemsOf(() => defineMessage({ ...one, upcast: stray }))).toContain(
      'upcast: "7" is no step between two of the versions 1 to 1',
    );
  });

  test('V05: the oldest version may have been retired', () => {
    const message = defineMessage({ ...one, versions: { 4: V, 5: V }, upcast: { 5: (older) => older } });
    expect([message.oldest, message.newest]).toEqual([4, 5]);
  });

  test('W25: the head policy is one of those there are, and lets others pass unless it is given', () => {
    expect(defineMessage(one).headPolicy).toBe('continue');
    expect(defineMessage({ ...one, headPolicy: 'hold' }).headPolicy).toBe('hold');
    // @ts-expect-error no head policy
    expect(problemsOf(() => defineMessage({ ...one, headPolicy: 'skip' }))[1]).toMatch(/^headPolicy: must be one of/);
  });

  test('an external effect without an idempotency contract is refused', () => {
    const problems = problemsOf(() => defineMessage({ ...one, idempotency: { class: 'external', contract: '' } }));
    expect(problems).toContain('idempotency.contract: an effect of class external says what makes a repeat harmless');
  });
});

import { Type } from '@sinclair/typebox';
import { describe, expect, test } from 'vitest';
import { ChargeCard, delivery, OrderPlaced } from '../../test/orders.ts';
import { defineMessage } from '../definition/define-message.ts';
import { jsonProblem } from './json-problem.ts';
import { parseJson } from './parse-json.ts';
import { recordKeyOf } from './record-key.ts';
import { writePayload } from './write-payload.ts';

const order = { id: '7', buyer: { name: 'Ada' } };

describe('writing', () => {
  test('W05: a payload becomes one JSON text with the version that describes it', () => {
    expect(writePayload(OrderPlaced, order)).toEqual({ version: 3, text: '{"id":"7","buyer":{"name":"Ada"}}' });
  });

  test('W26: an older version is written through the downcasts, where they exist', () => {
    expect(writePayload(OrderPlaced, order, 2)).toEqual({ version: 2, text: '{"id":7,"buyer":{"name":"Ada"}}' });
    expect(() => writePayload(OrderPlaced, order, 1)).toThrow(
      'orders.order-placed has no downcast from version 2 to 1',
    );
  });

  test('W26: writers emit declared members only, at every depth', () => {
    const extra = { ...order, buyer: { name: 'Ada', vip: true } };
    expect(() => writePayload(OrderPlaced, extra)).toThrow(
      expect.objectContaining({
        code: 'CTR_PAYLOAD_INVALID',
        problems: ['/buyer/vip: must NOT have additional properties'],
      }),
    );
  });

  test('a downcast that returns no valid older version is refused', () => {
    expect(() => writePayload(OrderPlaced, { ...order, id: 'not a number' }, 2)).toThrow(
      expect.objectContaining({ problems: ['/id: NaN would become null'] }),
    );
  });

  test('a union closes as a whole where its parts describe one object', () => {
    const Both = Type.Intersect([
      Type.Object({ a: Type.String() }),
      Type.Object({ b: Type.Object({ c: Type.String() }) }),
    ]);
    const message = defineMessage({
      type: 'a.both',
      kind: 'journey-step-command',
      recordKey: null,
      delivery,
      versions: { 1: Both },
    });
    expect(writePayload(message, { a: 'x', b: { c: 'y' } }).text).toBe('{"a":"x","b":{"c":"y"}}');
    const extra = { a: 'x', b: { c: 'y', d: 1 } };
    expect(() => writePayload(message, extra)).toThrow('/b/d');
    expect(() => writePayload(message, Object.assign({ z: 1 }, { a: 'x', b: { c: 'y' } }))).toThrow('/z');
  });
});

describe('what JSON cannot carry', () => {
  const cycle: Record<string, unknown> = { a: {} };
  cycle['self'] = cycle;
  test.each([
    ['a bigint', { a: { b: 1n } }, '/a/b', 'bigint'],
    ['NaN', { a: [0, Number.NaN] }, '/a/1', 'NaN would become null'],
    ['Infinity', { a: -Infinity }, '/a', '-Infinity would become null'],
    ['an undefined member', { a: undefined }, '/a', 'undefined'],
    ['a hole', { a: [1, , 3] }, '/a/1', 'hole'],
    ['a Date', { at: new Date(0) }, '/at', 'a Date is not JSON'],
    ['a Map', { 'a/b': new Map() }, '/a~1b', 'a Map is not JSON'],
    ['a function', { a: () => 1 }, '/a', 'function'],
    ['a symbol', { a: Symbol('s') }, '/a', 'symbol'],
    ['a member named by a symbol', { a: { [Symbol('s')]: 1 } }, '/a', 'named by a symbol'],
    ['a cycle', cycle, '/self', 'cycle'],
  ])('S04: %s is refused with its path', (_what, value, path, reason) => {
    const problem = jsonProblem(value);
    expect(problem?.path).toBe(path);
    expect(problem?.reason).toContain(reason);
  });

  test('S04: the same object twice is no cycle, and null prototypes are plain data', () => {
    const shared = Object.assign(Object.create(null) as object, { a: 1 });
    expect(jsonProblem({ first: shared, second: [shared, null, 'x', 1.5, false] })).toBeNull();
  });

  test('S04: writing refuses such a value before anything is dropped', () => {
    const payload = { cents: 5, note: undefined };
    expect(() => writePayload(ChargeCard, payload)).toThrow('/note: undefined is not JSON');
  });
});

describe('parsing', () => {
  test.each([
    '{"__proto__":{"polluted":1},"a":1}',
    '{"\\u005f_proto__":{"polluted":1},"a":1}',
    '{"constructor":{"prototype":{"polluted":1}},"a":1}',
  ])('prototype names cannot pollute: %s', (text) => {
    const merged: object = Object.assign({}, parseJson(text));
    expect(merged).toEqual({ a: 1 });
    expect('polluted' in merged).toBe(false);
  });

  test('ordinary text that only mentions such a name is kept', () => {
    expect(parseJson('{"say":"__proto__","constructor":"x"}')).toEqual({ say: '__proto__', constructor: 'x' });
    expect(() => parseJson('{')).toThrow(SyntaxError);
  });
});

describe('record key', () => {
  const keyed = (recordKey: ((payload: { id: string }) => string) | null) =>
    defineMessage({
      type: 'a.keyed',
      kind: 'journey-step-command',
      recordKey,
      delivery,
      versions: { 1: Type.Object({ id: Type.String() }) },
    });

  test('Q06: the key is Object/id, and the empty string for a type without one', () => {
    expect(recordKeyOf(OrderPlaced, order)).toBe('Order/7');
    expect(recordKeyOf(keyed(null), { id: '1' })).toBe('');
  });

  test('Q06: another form, a control character, half a surrogate pair or too many bytes are refused', () => {
    expect(() =>
      recordKeyOf(
        keyed((payload) => payload.id),
        { id: 'just-an-id' },
      ),
    ).toThrow('the form Object/id');
    expect(() =>
      recordKeyOf(
        keyed((payload) => `Order/${payload.id}`),
        { id: '' },
      ),
    ).toThrow('the form Object/id');
    expect(() =>
      recordKeyOf(
        keyed((payload) => `Order/${payload.id}`),
        { id: 'a\u0000b' },
      ),
    ).toThrow('control characters');
    expect(() =>
      recordKeyOf(
        keyed((payload) => `Order/${payload.id}`),
        { id: 'a\ud800' },
      ),
    ).toThrow('lone surrogates');
    expect(() =>
      recordKeyOf(
        keyed((payload) => `Order/${payload.id}`),
        { id: 'ü'.repeat(260) },
      ),
    ).toThrow('at most 512 bytes');
  });
});

import { describe, expect, test } from 'vitest';
import { cleanErrorText, errorText } from './error-text.ts';

const circular: Record<string, unknown> = { payload: 'secret-of-a-customer' };
circular['self'] = circular;

const causeCycle = new Error('first');
causeCycle.cause = new Error('second', { cause: causeCycle });

const throwingMessage = Object.defineProperty(new Error('never seen'), 'message', {
  get() {
    throw new Error('getter');
  },
});

const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error('get');
    },
    getPrototypeOf() {
      throw new Error('prototype');
    },
  },
);

const values: readonly (readonly [name: string, thrown: unknown, expected: string | RegExp])[] = [
  ['an Error', new Error('boom'), 'Error: boom'],
  ['an error with a code', Object.assign(new TypeError('no'), { code: 'E_NO' }), 'TypeError [E_NO]: no'],
  ['a cause', new Error('outer', { cause: new RangeError('inner') }), 'Error: outer; caused by RangeError: inner'],
  ['a cycle of causes', causeCycle, /^Error: first; caused by Error: second; caused by Error: first/],
  ['a circular object', circular, 'a thrown object'],
  ['undefined', undefined, 'undefined was thrown'],
  ['null', null, 'null was thrown'],
  ['zero', 0, '0 was thrown'],
  ['a string', 'text', 'text'],
  ['an empty string', '', 'an empty string was thrown'],
  ['a symbol', Symbol('s'), 'Symbol(s) was thrown'],
  ['a bigint', 10n, '10 was thrown'],
  ['a function', () => 'x', /thrown function|\[object/],
  ['an object without a prototype', Object.create(null), 'a thrown object'],
  ['an Error whose message getter throws', throwingMessage, 'Error'],
  ['a frozen Error', Object.freeze(new Error('cold')), 'Error: cold'],
  ['a proxy that throws at every look', hostile, 'a thrown value that cannot be inspected'],
  [
    'a thousand errors at once',
    new AggregateError(
      Array.from({ length: 1_000 }, (_, n) => new Error(`e${n}`)),
      'all',
    ),
    /^AggregateError: all \(1000 errors: Error: e0, Error: e1, Error: e2, …\)$/,
  ],
  [
    'an AggregateError inside an AggregateError',
    new AggregateError([new AggregateError([new Error('deep')], 'inner')], 'outer'),
    'AggregateError: outer (1 errors: AggregateError: inner)',
  ],
  ['an error with a non-string message', { message: { payload: 1 } }, 'a thrown object'],
];

describe('F014: any thrown value becomes a short readable text', () => {
  test.each(values)('F014: %s', (_name, thrown, expected) => {
    if (typeof expected === 'string') expect(errorText(thrown)).toBe(expected);
    else expect(errorText(thrown)).toMatch(expected);
  });

  test('F014: a message of 5 MB is cut before anything else looks at it', () => {
    const huge = new Error('x'.repeat(5_000_000), { cause: new Error('é'.repeat(5_000_000)) });
    // Time of the processor: what else the machine does is not counted.
    const before = process.cpuUsage();
    const text = errorText(huge);
    const { user } = process.cpuUsage(before);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2_048);
    expect(user / 1_000, 'ms').toBeLessThan(2_000);
  });

  test('W20: members of a thrown object never get in, since they may be a payload', () => {
    expect(
      errorText(Object.assign(new Error('boom'), { detail: 'Key (email)=(a@b.c)', payload: 'a@b.c' })),
    ).not.toContain('a@b.c');
    expect(errorText(circular)).not.toContain('secret');
  });
});

describe('F015: text that PostgreSQL refuses', () => {
  test.each([
    ['NUL', 'a\u0000b', 'a\uFFFDb'],
    ['a lone high surrogate', 'a\ud800b', 'a\uFFFDb'],
    ['a lone low surrogate', '\udc00x', '\uFFFDx'],
    ['a pair that is cut apart by the bound', `${'x'.repeat(2_047)}😀`, 'x'.repeat(2_047)],
    ['an escape sequence of a terminal', '\u001b[31mred', '\uFFFD[31mred'],
    ['the harmless literal', 'a\\u0000b', 'a\\u0000b'],
    ['line breaks and tabs', 'a\n\tb', 'a\n\tb'],
    ['an emoji', 'ok 😀', 'ok 😀'],
  ])('F015: %s', (_name, text, expected) => {
    expect(cleanErrorText(text)).toBe(expected);
  });
});

describe('W20: no secrets', () => {
  test.each([
    ['a URL with a password', 'connect postgres://app:hunter2@db/x failed', 'connect postgres://***@db/x failed'],
    ['a bearer token', 'Authorization: Bearer abc.def-ghi', 'Authorization: Bearer ***'],
    ['a webhook secret', 'bad secret whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'bad secret whsec_***'],
    ['a query parameter', 'GET /x?api_key=abc123&y=1', 'GET /x?api_key=***&y=1'],
  ])('W20: %s', (_name, text, expected) => {
    expect(cleanErrorText(text)).toBe(expected);
  });
});

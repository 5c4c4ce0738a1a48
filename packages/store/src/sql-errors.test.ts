import { expect, test } from 'vitest';

import { classifyStoreError } from './sql-errors.ts';

const withCode = (code: string): Error => Object.assign(new Error('from the server'), { code });

test.each([
  ['a refused connection', withCode('ECONNREFUSED'), 'unavailable'],
  ['a reset connection', withCode('ECONNRESET'), 'unavailable'],
  ['a name that does not resolve', withCode('ENOTFOUND'), 'unavailable'],
  [
    'all addresses refused',
    new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')], 'all failed'),
    'unavailable',
  ],
  ['postgres: a closed connection', withCode('CONNECTION_CLOSED'), 'unavailable'],
  ['pg: a connection that ended', new Error('Connection terminated unexpectedly'), 'unavailable'],
  ['pg: no connection in time', new Error('timeout exceeded when trying to connect'), 'unavailable'],
  ['pg: no answer in time', new Error('Query read timeout'), 'unavailable'],
  ['a shutdown', withCode('57P01'), 'unavailable'],
  ['a server that starts up', withCode('57P03'), 'unavailable'],
  ['too many connections', withCode('53300'), 'unavailable'],
  ['no memory for locks', withCode('53200'), 'unavailable'],
  ['a connection failure', withCode('08006'), 'unavailable'],
  ['a server that only reads', withCode('25006'), 'unavailable'],
  ['a statement timeout', withCode('57014'), 'unavailable'],
  ['a session that idled in its transaction', withCode('25P03'), 'unavailable'],
  ['a wrong password', withCode('28P01'), 'unavailable'],
  ['no schema yet', withCode('3F000'), 'unavailable'],
  ['no table yet', withCode('42P01'), 'unavailable'],
  ['no function yet', withCode('42883'), 'unavailable'],
  ['a deadlock', withCode('40P01'), 'transient'],
  ['a serialization failure', withCode('40001'), 'transient'],
  ['a lock timeout', withCode('55P03'), 'transient'],
  ['a cause inside', new Error('outer', { cause: withCode('40P01') }), 'transient'],
  ['a broken constraint', withCode('23505'), 'fatal'],
  ['a syntax error', withCode('42601'), 'fatal'],
  ['a bug', new TypeError('undefined is not a function'), 'fatal'],
  ['text', 'oops', 'fatal'],
  ['nothing', undefined, 'fatal'],
] as const)('W21 F050: %s is %s', (_what, error, expected) => {
  expect(classifyStoreError(error)).toBe(expected);
});

test('W21: errors that cause each other do not turn for ever', () => {
  const error = new Error('a');
  error.cause = new Error('b', { cause: error });
  expect(classifyStoreError(error)).toBe('fatal');
});

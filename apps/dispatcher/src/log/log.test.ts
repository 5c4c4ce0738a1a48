import { hostname } from 'node:os';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { errorFields } from './error-fields.ts';
import { createLog } from './log.ts';

function capture(): { readonly destination: Writable; readonly lines: () => readonly Record<string, unknown>[] } {
  let text = '';
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  return {
    destination,
    lines: () =>
      text
        .trimEnd()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

const IDENTITY = { build: 'orders@1.0.0' } as const;

test('D05: a line is JSON with the level by name, the time, the build and the process', () => {
  const { destination, lines } = capture();
  const log = createLog({ ...IDENTITY, level: 'info', destination });
  log.debug('unheard');
  log.info({ records: 3 }, 'claimed');
  expect(lines()).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as unknown,
      ...IDENTITY,
      host: hostname(),
      pid: process.pid,
      records: 3,
      msg: 'claimed',
    },
  ]);
});

test('D05: secrets are not logged, neither as members nor inside the texts of errors', () => {
  const { destination, lines } = capture();
  const log = createLog({ ...IDENTITY, level: 'info', destination });
  const cause = new Error('cannot reach https://user:hunter2@receiver.example/hook with whsec_c2VjcmV0');
  const error = Object.assign(new Error('connect postgres://waybill:hunter2@db/orders failed', { cause }), {
    code: 'ECONNREFUSED',
    detail: 'Key (card)=(hunter2)',
  });
  log.error({ err: error, database: { url: 'postgres://a:hunter2@b/c' }, token: 'hunter2' }, 'failed');
  const [line] = lines();
  expect(JSON.stringify(line)).not.toMatch(/hunter2|c2VjcmV0/);
  expect(line).toMatchObject({
    database: { url: '[redacted]' },
    token: '[redacted]',
    err: { type: 'Error', code: 'ECONNREFUSED', message: 'connect postgres://waybill:[redacted]@db/orders failed' },
  });
});

test('D05: whatever is thrown can be logged, in bounded size', () => {
  const loop = new Error('round');
  loop.cause = loop;
  expect(JSON.stringify(errorFields(loop)).length).toBeLessThan(60_000);
  expect(errorFields(new Error('x'.repeat(1e6))).message).toHaveLength(2_001);
  expect(errorFields('a string')).toEqual({ type: 'string', message: 'a string' });
  expect(errorFields(undefined)).toEqual({ type: 'undefined', message: 'undefined' });
  expect(errorFields(Object.create(null))).toEqual({ type: 'object', message: 'a value that has no text' });
});

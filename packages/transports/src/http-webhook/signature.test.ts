import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { parseSecret, sign } from './signature.ts';

const OLD = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const NEW = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;

function keys(...secrets: readonly string[]): readonly Buffer[] {
  return secrets.flatMap((secret) => parseSecret(secret) ?? []);
}

describe('signature', () => {
  test('T03: the specification’s example is signed as there', () => {
    const content = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestampSeconds: 1614265330, body: '{"test": 2432232314}' };
    expect(sign(keys('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'), content)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  test('T03: the standardwebhooks package accepts the signature, over UTF-8 too', () => {
    const now = new Date();
    const timestampSeconds = Math.floor(now.getTime() / 1000);
    const body = '{"name":"Grüße €", "n":1.0}';
    const signature = sign(keys(NEW), { id: 'm-1', timestampSeconds, body });
    expect(signature).toBe(new Webhook(NEW).sign('m-1', now, body));
    const headers = {
      'webhook-id': 'm-1',
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signature,
    };
    expect(new Webhook(NEW).verify(body, headers)).toEqual(JSON.parse(body));
  });

  test('T03: while secrets rotate a receiver may hold the new or the old one, and no other', () => {
    const timestampSeconds = Math.floor(Date.now() / 1000);
    const signature = sign(keys(NEW, OLD), { id: 'm-1', timestampSeconds, body: '{}' });
    const headers = {
      'webhook-id': 'm-1',
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signature,
    };
    expect(new Webhook(NEW).verify('{}', headers)).toEqual({});
    expect(new Webhook(OLD).verify('{}', headers)).toEqual({});
    expect(() => new Webhook(`whsec_${Buffer.alloc(24, 3).toString('base64')}`).verify('{}', headers)).toThrow(
      'No matching signature',
    );
  });

  test.each([
    '',
    'whsec_',
    'whsec_not base64',
    `whsec_${Buffer.alloc(23).toString('base64')}`,
    `whsec_${Buffer.alloc(65).toString('base64')}`,
    Buffer.alloc(32).toString('base64'),
    7,
    null,
  ])('T03: %j is not a secret', (secret) => {
    expect(parseSecret(secret)).toBeNull();
  });
});

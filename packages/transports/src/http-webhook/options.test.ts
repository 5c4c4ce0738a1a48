import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { TransportError } from '../transport-error.ts';
import { httpWebhook } from './http-webhook.ts';
import type { HttpWebhookOptions } from './options.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

function problemsOf(options: Partial<HttpWebhookOptions>): readonly string[] {
  try {
    httpWebhook({ url: 'https://example.com/hook', secrets: [SECRET], ...options });
    return [];
  } catch (error) {
    if (error instanceof TransportError) return error.problems;
    throw error;
  }
}

describe('options of http-webhook', () => {
  test('T03: all problems are reported at once', () => {
    expect(
      problemsOf({ url: 'ftp://user:hunter2@example.com:2121/', secrets: [], concurrency: 0, maxBytes: 1.5 }),
    ).toEqual([
      "http-webhook: url: expected no user and password (use headers), got 'both or one of them'",
      "http-webhook: url: expected https: (allowHttp is false), got 'ftp:'",
      'http-webhook: url: expected one of the ports 80, 443, 8080, 8443 (allowedPorts), got 2121',
      "http-webhook: secrets: expected a list of at least one secret, got 'an empty list'",
      'http-webhook: concurrency: expected an integer from 1 to 1024, got 0',
      'http-webhook: maxBytes: expected an integer from 1 to 1073741824, got 1.5',
    ]);
  });

  test('T03: a misspelt option is reported', () => {
    const misspelt: object = { secret: SECRET };
    expect(problemsOf(misspelt)[0]).toMatch(/^http-webhook: secret: expected one of name, url, secrets, /);
  });

  test.each(['webhook-id', 'Waybill-Type', 'host', 'Content-Length', 'transfer-encoding', 'bad name', ''])(
    'T03: header "%s" cannot be set',
    (header) => {
      expect(problemsOf({ headers: { [header]: 'x' } })).toHaveLength(1);
    },
  );

  // The inside server as literals that browsers and fetch understand.
  test.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://127.0.1/',
    'https://017700000001/',
    'https://0x7f.0x0.0x0.0x1/',
    'https://0300.0250.1/',
    'https://%31%32%37.0.0.1/',
    'https://127。0。0。1/',
    'https://１２７．０．０．１/',
    'https://𝟏𝟐𝟕.0.0.1/',
    'https://127.0.0.1\\@example.com/',
    'https://\t127.0.0.1\n/',
    'HTTPS://0X7F000001:443',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://0x7f.1/',
    'https://127.0.0.1./',
    'https://①②⑦.⓪.⓪.①/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::127.0.0.1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[0:0:0:0:0:ffff:7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[64:ff9b:1::8.8.8.8]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:7f00:1::]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
    'https://[2001:db8::1]/',
    'https://[fd00:ec2::254]/',
    'https://169.254.169.254/',
    'https://0/',
    'https://10.1.2.3/',
    'https://100.64.0.1/',
    'https://192.168.0.1/',
  ])('T03: %s is not public', (url) => {
    expect(problemsOf({ url })).toEqual([
      expect.stringMatching(/^http-webhook: url: expected a public address, or one in allowedNetworks, got /),
    ]);
  });

  // What a parser of URLs may read in two ways is not read at all.
  test.each([
    'https://[fe80::1%25eth0]/',
    'https://[fe80::1%eth0]/',
    'https://[127.0.0.1]/',
    'https://256.0.0.1/',
    'https://127.0.0.1.5/',
    'https://0x100000000/',
    'https://1.2.3.08/',
    'https://example.com:99999/',
    'https://exa mple.com/',
    'https://127.0.0.1%00.example.com/',
    'https://',
    '//127.0.0.1/',
    '/hook',
  ])('T03: %s is no URL', (url) => {
    expect(problemsOf({ url })).toEqual(["http-webhook: url: expected an absolute URL, got 'string'"]);
  });

  test.each([
    ['https://user@example.com/', 'no user and password (use headers)'],
    ['https://:hunter2@example.com/', 'no user and password (use headers)'],
    ['https://example.com:443@example.org/', 'no user and password (use headers)'],
    ['https://example.com:22/', 'one of the ports 80, 443, 8080, 8443 (allowedPorts)'],
    ['https://example.com:5432/', 'one of the ports 80, 443, 8080, 8443 (allowedPorts)'],
    ['https://example.com:0/', 'one of the ports 80, 443, 8080, 8443 (allowedPorts)'],
    ['http://example.com/', 'https: (allowHttp is false)'],
    ['file:///etc/passwd', 'https: (allowHttp is false)'],
    ['gopher://example.com:443/', 'https: (allowHttp is false)'],
  ])('T03: %s is turned away', (url, expected) => {
    expect(problemsOf({ url }).join()).toContain(`http-webhook: url: expected ${expected}`);
    expect(problemsOf({ url }).join()).not.toContain('hunter2');
  });

  test('T03: what is named is allowed', () => {
    expect(problemsOf({ url: 'https://10.20.1.1/', allowedNetworks: ['10.20.0.0/16'] })).toEqual([]);
    expect(problemsOf({ url: 'http://example.com/', allowHttp: true })).toEqual([]);
    expect(problemsOf({ url: 'https://example.com:9443/', allowedPorts: [9443] })).toEqual([]);
    expect(problemsOf({ url: 'http://[::1]:12345/', allowPrivateNetwork: true })).toEqual([]);
  });

  test('T03, W20: no secret shows in an error or in a look at the transport', () => {
    const bad = 'whsec_c2hvcnQtYnV0LXNlY3JldA==';
    const token = 'tok_12345';
    const problems = problemsOf({
      url: `https://u:hunter2@127.0.0.1/${token}`,
      secrets: [bad],
      headers: { authorization: `${token}\n` },
    });
    expect(problems).toHaveLength(4);
    const transport = httpWebhook({
      url: `https://example.com/${token}`,
      secrets: [SECRET],
      headers: { authorization: token },
    });
    const shown = [
      problems.join(),
      inspect(transport, { depth: 10, showHidden: true }),
      JSON.stringify(transport),
    ].join();
    for (const secret of [bad, 'c2hvcnQ', SECRET.slice(6), token, 'hunter2']) expect(shown).not.toContain(secret);
  });
});
